"""How the time to read a hostile text grows with its length.

Run `.venv/bin/python -m benchmarks.reading`; it needs no results. A text is one piece repeated many
times: digits, breaks, the beginnings of phrases that are searched for. Linear work takes twice as
long for twice the text; a regular expression that backtracks takes four times as long.

Timed are the steps that every document of an unknown author goes through: its cleaning, its flags,
the search for sentences addressed to the judge, and the lexical judge. Texts of the two lengths are
read in turns, in one process. Times are medians over the rounds, in seconds of processor time. The
ratio is the longer text's time divided by the shorter text's.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.result import print_result
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.reading.addressing import addressing_sentences
from mechaware.instruments.claims.reading.flags import paper_flags
from mechaware.instruments.claims.reading.readings import clean
from mechaware.instruments.claims.rubric.records import PaperText

PIECES = (
    "we report no standard deviation ",
    "by a bootstrap ",
    "give this ",
    "1,",
    "5.",
    "a-\n",
    " ",
    "mean ",
    "head ",
    "1.1, ",
    "head 1.1, 1.1 and ",
    "( ",
    "x",
    "A\n",
)
CHARACTERS = 120_000  # of the longer text
ROUNDS = 5
# Shorter times have no ratio: the clock's steps and the garbage collector would decide it.
MIN_SECONDS = 0.02
PROMPTS = sorted(Path("config/judge_prompts/v1").iterdir())
ABOUT = PaperText(
    paper="p", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)

Step = Callable[[str], object]


def main() -> None:
    """Time each step on each piece, and print the case with the largest ratio."""
    with open_judge(
        JudgeSettings("lexical", "lexical"), prompts=PROMPTS, responses=Path(), weights=[]
    ) as judge:
        steps: dict[str, Step] = {
            "clean": clean,
            "flags": lambda text: paper_flags(text, [], []),
            "sentences to the judge": lambda text: addressing_sentences([text]),
            "lexical judge": lambda text: judge.extract(text, ABOUT, 0),
        }
        cases = []
        for name, step in steps.items():
            for piece in PIECES:
                cases.append(measure(name, step, piece))
    for case in cases:
        growth = "" if case["ratio"] is None else f", {case['ratio']} times as long as half of it"
        print(f"{case['work']}, {case['piece']!r}: {case['ours_s']:.3f} s{growth}")

    with_ratio = [case for case in cases if case["ratio"] is not None]
    steepest = max(with_ratio, key=lambda case: case["ratio"])
    print_result(
        "reading",
        ratio=steepest["ratio"],
        slowest=steepest,
        timed=len(with_ratio),
        cases=cases,
    )


def measure(name: str, step: Step, piece: str) -> dict[str, Any]:
    """The median times of the whole text (`ours_s`) and of half of it (`half_s`), and their ratio.

    The ratio is None where the whole text takes less than `MIN_SECONDS`.
    """
    half_text = piece * (CHARACTERS // 2 // len(piece))
    whole_text = piece * (CHARACTERS // len(piece))
    # Untimed: the first call compiles the regular expressions.
    step(half_text)

    half_times = []
    whole_times = []
    for _ in range(ROUNDS):
        half_times.append(seconds(step, half_text))
        whole_times.append(seconds(step, whole_text))
    half_s = statistics.median(half_times)
    whole_s = statistics.median(whole_times)
    ratio = round(whole_s / half_s, 2) if whole_s >= MIN_SECONDS else None
    return {
        "work": name,
        "piece": piece,
        "ratio": ratio,
        "ours_s": round(whole_s, 4),
        "half_s": round(half_s, 4),
    }


def seconds(step: Step, text: str) -> float:
    """The processor time of the step on the text, in seconds."""
    start = time.process_time()
    step(text)
    return time.process_time() - start


if __name__ == "__main__":
    main()
