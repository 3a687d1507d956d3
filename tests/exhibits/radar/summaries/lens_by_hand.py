"""Scores of the two classifiers of the logit lens, written by hand."""

import pandas as pd

# Of two items that A saw and two that B saw, under A and then under B.
SEEN = [True, True, False, False, False, False, True, True]
# Of the 16 pairs of a seen and an unseen row, those that a score orders rightly:
ALL = [2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0]  # 16
TWELVE = [4.0, 4.0, 1.0, 1.0, 3.0, 3.0, 2.0, 2.0]  # the 4s 8, the 2s the two 1s
FOURTEEN = [4.0, 4.0, 1.0, 1.0, 3.0, 1.0, 2.0, 2.0]  # the 4s 8, the 2s the three 1s
TIED = [1.0] * 8  # half of 16
MISSING = [float("nan")] * 8


def lens_scores(*, seeds: int) -> pd.DataFrame:
    """Reasoning items, and docstrings, which have a third fit.

    All cells and seeds are alike except for the logit lens fitted on names. Among docstrings that
    were read 4 times it orders 14 pairs rightly, and 8 in the last seed; among docstrings that were
    read 16 times it orders 12.
    """
    tables = []
    for seed in range(seeds):
        is_last = seed == seeds - 1
        by_fit = {
            # likelihoods, logit lens
            "within": (TWELVE, ALL),
            "other_seeds": (TWELVE, FOURTEEN),
            "names": (TIED, TIED if is_last else FOURTEEN),
        }
        if seeds == 1:
            by_fit["other_seeds"] = (MISSING, MISSING)
        for kind, form, dose in (
            ("reasoning", "paraphrase", 16),
            ("reasoning", "verbatim", 4),
            ("docstring", "verbatim", 4),
            ("docstring", "verbatim", 16),
        ):
            for fit, (likelihoods, lens) in by_fit.items():
                if (kind, fit) == ("reasoning", "names"):
                    continue
                if (dose, fit) == (16, "names"):
                    lens = TWELVE
                rows = pd.DataFrame(
                    {"seed": seed, "kind": kind, "form": form, "dose": dose}, range(8)
                )
                rows = rows.assign(fit=fit, seen=SEEN, shuffled_seen=[not seen for seen in SEEN])
                rows["fitted_likelihoods"] = likelihoods
                rows["logit_lens"] = lens
                rows["shuffled_fitted_likelihoods"] = likelihoods
                rows["shuffled_logit_lens"] = lens
                tables.append(rows)
    return pd.concat(tables, ignore_index=True)
