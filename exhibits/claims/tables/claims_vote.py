"""How often the tier of a planted paper is right by the minimum, the median and one run.

No judge is asked: errors of known rates are drawn into the planted statuses (`compare_votes`).
"""

import pandas as pd

from exhibits.report.tables import Table, percent
from mechaware.planted.papers.vote_errors import (
    CLAIMS,
    NO_PASS,
    RUNS,
    VOTES,
    Errors,
    LoweringPass,
    compare_votes,
)

CONFIG = {"confidence_level": "confidence_level"}

PAPERS = 300
REPEATS = 3  # draws of the errors of each paper
# Models of a judge's errors (`Errors`). `ALONE`: three rates upwards with each rate downwards,
# independent from run to run. `SHARED`: the highest rate upwards, with half of the errors shared by
# all runs. `LEAKING`: models in which half of the planted leaks are credited.
DOWN = (0.0, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1)
ALONE = tuple(Errors(up, down) for up in (0.05, 0.1, 0.2) for down in DOWN)
SHARED = tuple(Errors(0.2, down, shared=0.5) for down in DOWN)
LEAKING = tuple(Errors(0.1, down, shared=0.5, leaked=0.5) for down in (0.01, 0.05))
# The passes after the vote in the models of `LEAKING`; they may lower credited leaks again.
PASSES = (
    NO_PASS,
    LoweringPass("leak audit", finds=0.8, harms=0.02),
    LoweringPass("devil's advocate", finds=0.8, harms=0.02),
    LoweringPass("devil's advocate", finds=0.8, harms=0.5),
)
# The rates downwards in the printed table, without leaks and with leaks; the numbers have all.
SHOWN_DOWN = (0.0, 0.005, 0.01, 0.05)
SHOWN_LEAKING = 0.01
VOTE_TITLES = {"minimum": "Minimum", "median": f"Median of {RUNS}", "one run": "One run"}


def fill(*, seed: int, confidence_level: float) -> Table:
    """A row per model of errors, pass, kind of claim and vote.

    The cells have the three votes side by side.
    """
    numbers = vote_numbers(PAPERS, REPEATS, seed, confidence_level)
    return Table(numbers, _shown(numbers))


def vote_numbers(papers: int, repeats: int, seed: int, confidence_level: float) -> pd.DataFrame:
    """The rows of `compare_votes` for all errors and passes.

    Two columns come before them: errors and after, the model of errors and the pass in words.
    """
    without_leaks = compare_votes(
        [*ALONE, *SHARED],
        [NO_PASS],
        papers=papers,
        repeats=repeats,
        seed=seed,
        confidence_level=confidence_level,
    )
    with_leaks = compare_votes(
        LEAKING,
        PASSES,
        papers=papers,
        repeats=repeats,
        seed=seed,
        confidence_level=confidence_level,
    )
    numbers = pd.concat([without_leaks, with_leaks], ignore_index=True)

    errors = map(name_errors, numbers["up"], numbers["down"], numbers["shared"], numbers["leaked"])
    passes = map(name_pass, numbers["pass"], numbers["finds"], numbers["harms"])
    numbers.insert(0, "errors", list(errors))
    numbers.insert(1, "after", list(passes))
    return numbers


def name_errors(up: float, down: float, shared: float, leaked: float) -> str:
    """A model of errors (`Errors`) in words; shares and leaks only if there are any.

    For example "10% up, 0.5% down", or "20% up, 5% down, 50% shared, 50% of leaks credited".
    """
    words = [f"{100 * up:g}% up", f"{100 * down:g}% down"]
    if shared:
        words.append(f"{100 * shared:g}% shared")
    if leaked:
        words.append(f"{100 * leaked:g}% of leaks credited")
    return ", ".join(words)


def name_pass(kind: str, finds: float, harms: float) -> str:
    """A pass (`LoweringPass`) in words: "none", or with finds and harms "leak audit (80%, 2%)"."""
    if kind == NO_PASS.kind:
        return kind
    return f"{kind} ({100 * finds:g}%, {100 * harms:g}%)"


def _shown(numbers: pd.DataFrame) -> pd.DataFrame:
    """The cells, in per cent: the papers' own claims without leaks, and all claims with leaks.

    Both only at some rates downwards (`SHOWN_DOWN`, `SHOWN_LEAKING`).
    """
    is_papers_claim = numbers["claims"] == "paper"
    without_leaks = is_papers_claim & (numbers["leaked"] == 0) & numbers["down"].isin(SHOWN_DOWN)
    with_leaks = (numbers["leaked"] > 0) & (numbers["down"] == SHOWN_LEAKING)
    chosen = numbers[without_leaks | with_leaks]
    keys = ["errors", "after", "claims"]
    exact = chosen.pivot(index=keys, columns="vote", values="exact")
    # The pivot has sorted the rows: back to the order of the numbers.
    order = chosen[keys].drop_duplicates()
    exact = exact.loc[pd.MultiIndex.from_frame(order)].reset_index()
    cells = pd.DataFrame(
        {
            "Errors of a run": exact["errors"],
            "Pass (finds, harms)": exact["after"],
            "Claims": exact["claims"].map(CLAIMS),
        }
    )
    for vote in VOTES:
        cells[f"{VOTE_TITLES[vote]}, %"] = exact[vote].map(percent)
    return cells
