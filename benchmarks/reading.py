"""How the time to read a hostile text grows with its length: a text and one twice as long, in one process.

Run `.venv/bin/python -m benchmarks.reading`; it needs no results. A text is one piece repeated many times: digits,
breaks, the beginnings of phrases that are searched for. For twice the text, a regular expression that backtracks takes
four times as long, linear work twice as long. What is timed is done with every document that somebody else wrote: its
cleaning, its flags, the search for sentences to the judge, and the lexical judge. The two lengths take turns. Times are
medians over the rounds, and the ratio is the longer text's time divided by the shorter one's.
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
MIN_SECONDS = 0.02  # below it the clock and the collector decide the ratio
PROMPTS = sorted(Path("config/judge_prompts/v1").iterdir())
ABOUT = PaperText(
    paper="p", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)

Work = Callable[[str], object]


def main() -> None:
    """Time each work on each piece and print the largest ratio."""
    with open_judge(
        JudgeSettings("lexical", "lexical"), prompts=PROMPTS, responses=Path(), weights=[]
    ) as judge:
        works: dict[str, Work] = {
            "clean": clean,
            "flags": lambda text: paper_flags(text, [], []),
            "sentences to the judge": lambda text: addressing_sentences([text]),
            "lexical judge": lambda text: judge.extract(text, ABOUT, 0),
        }
        cases = []
        for name, work in works.items():
            for piece in PIECES:
                cases.append(measure(name, work, piece))
    for case in cases:
        times = "" if case["ratio"] is None else f", {case['ratio']} times as long as half of it"
        print(f"{case['work']}, {case['piece']!r}: {case['ours_s']:.3f} s{times}")

    timed = [case for case in cases if case["ratio"] is not None]
    slowest = max(timed, key=lambda case: case["ratio"])
    print_result("reading", ratio=slowest["ratio"], slowest=slowest, timed=len(timed), cases=cases)


def measure(name: str, work: Work, piece: str) -> dict[str, Any]:
    """The median times of both lengths; no ratio where the longer text takes less than `MIN_SECONDS`."""
    shorter = piece * (CHARACTERS // 2 // len(piece))
    longer = piece * (CHARACTERS // len(piece))
    work(shorter)  # compiles the patterns

    of_half = []
    of_whole = []
    for _ in range(ROUNDS):
        of_half.append(seconds(work, shorter))
        of_whole.append(seconds(work, longer))
    half = statistics.median(of_half)
    whole = statistics.median(of_whole)
    ratio = round(whole / half, 2) if whole >= MIN_SECONDS else None
    return {
        "work": name,
        "piece": piece,
        "ratio": ratio,
        "ours_s": round(whole, 4),
        "half_s": round(half, 4),
    }


def seconds(work: Work, text: str) -> float:
    """The processor's time for the work on the text."""
    start = time.process_time()
    work(text)
    return time.process_time() - start


if __name__ == "__main__":
    main()
