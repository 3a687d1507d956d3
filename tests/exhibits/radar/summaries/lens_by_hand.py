"""Scores of the detector that reads the logit lens, made up so that its AUROCs can be counted.

The detector has two classifiers: `fitted_likelihoods` reads likelihoods alone, `logit_lens` reads
likelihoods and the logit lens. An AUROC is the share of pairs of a seen and an unseen row in which
the seen row has the higher score; a tie counts one half.
"""

from typing import NamedTuple

import pandas as pd

# Four items under twin A, then the same items under twin B. A has seen the first two items, and B
# has seen the other two. There are 4 x 4 = 16 pairs of a seen and an unseen row.
SEEN = [True, True, False, False, False, False, True, True]

# Scores of these eight rows, by the number of pairs that they order rightly.
SIXTEEN = [2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0]
# Two seen rows with 4 above all four unseen rows, and two with 2 above two of them: 8 + 4.
TWELVE = [4.0, 4.0, 1.0, 1.0, 3.0, 3.0, 2.0, 2.0]
# Two seen rows with 4 above all four unseen rows, and two with 2 above three of them: 8 + 6.
FOURTEEN = [4.0, 4.0, 1.0, 1.0, 3.0, 1.0, 2.0, 2.0]
# All pairs are tied: 16 / 2.
EIGHT = [1.0] * 8
MISSING = [float("nan")] * 8


class ClassifierScores(NamedTuple):
    """The scores of the eight rows by each classifier."""

    fitted_likelihoods: list[float]
    logit_lens: list[float]


def lens_scores(*, seeds: int) -> pd.DataFrame:
    """The scores of reasoning items and of docstrings in two cells each, with the columns of
    `score_logit_lens` that `lens_table` reads.

    All cells and seeds are alike except in the fit on names, which only docstrings have. Pairs that
    are ordered rightly, by what the classifiers were fitted on (fit):

        fit          fitted_likelihoods  logit_lens
        within       12                  16
        other_seeds  12                  14; scores of a single seed are missing
        names        8                   read 4 times: 14, and 8 in the last seed
                                         read 16 times: 12

    The shuffled truths are the opposite of the truths, and their classifiers have the same scores.
    """
    tables = []
    for seed in range(seeds):
        for kind, form, dose in (
            ("reasoning", "paraphrase", 16),
            ("reasoning", "verbatim", 4),
            ("docstring", "verbatim", 4),
            ("docstring", "verbatim", 16),
        ):
            scores_by_fit = {
                "within": ClassifierScores(TWELVE, SIXTEEN),
                "other_seeds": ClassifierScores(TWELVE, FOURTEEN),
            }
            if seeds == 1:
                scores_by_fit["other_seeds"] = ClassifierScores(MISSING, MISSING)
            if kind == "docstring":
                scores_by_fit["names"] = fitted_on_names(dose, is_last_seed=seed == seeds - 1)

            for fit, scores in scores_by_fit.items():
                rows = pd.DataFrame(
                    {
                        "seed": seed,
                        "kind": kind,
                        "form": form,
                        "dose": dose,
                        "fit": fit,
                        "seen": SEEN,
                        "shuffled_seen": [not seen for seen in SEEN],
                        "fitted_likelihoods": scores.fitted_likelihoods,
                        "logit_lens": scores.logit_lens,
                        "shuffled_fitted_likelihoods": scores.fitted_likelihoods,
                        "shuffled_logit_lens": scores.logit_lens,
                    }
                )
                tables.append(rows)
    return pd.concat(tables, ignore_index=True)


def fitted_on_names(dose: int, *, is_last_seed: bool) -> ClassifierScores:
    """The scores of docstrings that were read `dose` times, by classifiers fitted on names."""
    if dose == 16:
        return ClassifierScores(EIGHT, TWELVE)
    if is_last_seed:
        return ClassifierScores(EIGHT, EIGHT)
    return ClassifierScores(EIGHT, FOURTEEN)
