"""The table of votes leaves out the rates that the page does not need."""

import pandas as pd

from exhibits.claims.tables import claims_vote


def test_claims_vote_shows_parts_only_with_leaks_and_leaks_at_one_rate_alone() -> None:
    """Of the rates downwards without leaks 2% is not shown, and with leaks only 1% is."""
    models = [("d", 0.0, 0.0), ("c", 0.02, 0.0), ("b", 0.01, 0.5), ("a", 0.05, 0.5)]
    rows = []
    for errors, down, leaked in models:
        for claims, exact in (("paper", 0.5), ("parts", 0.25)):
            for number, vote in enumerate(("minimum", "median", "one run")):
                rows.append((errors, down, leaked, claims, vote, exact + number / 10))
    columns = ["errors", "down", "leaked", "claims", "vote", "exact"]
    numbers = pd.DataFrame(rows, columns=columns).assign(after="none")

    shown = claims_vote._shown(numbers)

    assert shown.to_numpy().tolist() == [
        ["d", "none", "the paper's", "50.0", "60.0", "70.0"],
        ["b", "none", "the paper's", "50.0", "60.0", "70.0"],
        ["b", "none", "parts'", "25.0", "35.0", "45.0"],
    ]
