"""How much of the time from a PDF to scored claims is spent outside the embedded judge.

Run `.venv/bin/python -m benchmarks.claims` after `make results`, which makes the papers and the
model. Each of five planted papers is timed in four ways, one after the other:

1. Ours: read the paper's text, run the embedded judge three times, vote, audit and score. No reply
   is stored yet.
2. The peer: post the same chats in the same order to a second, bare server, with httpx and nothing
   else.
3. Replayed: ours again, with the replies stored, so that no model is asked.
4. Lexical: ours with the lexical judge, which follows rules, in place of the embedded one.

The share outside the judge is 1 - peer / ours. All results are medians over the papers.
"""

import json
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import httpx
import yaml

from benchmarks.result import print_result
from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.language_model.calls.server import (
    MODEL_NAME,
    SLOTS,
    embedded_server,
)
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.reading.text import extract_text
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote

PAPERS = 5
RUNS = 3
SOURCES = Path("results/claims/sources")
PROMPTS = sorted(Path("config/judge_prompts/v1").iterdir())
JUDGE = "smollm2"


class PaperTimes(NamedTuple):
    """How many seconds one paper takes in each of the four ways."""

    ours_s: float
    peer_s: float
    replay_s: float
    rules_s: float


def score_pdf(judge: Judge, paper: str) -> None:
    """From the paper's PDF to its scores."""
    document = SOURCES / paper / "document.pdf"
    text, about = extract_text(document, paper=paper, max_pages=50, memory_mb=1500, timeout_s=120)
    runs = [judge.extract(text, about, run) for run in range(RUNS)]
    voted = vote(runs, least_similarity=0.5)
    score_paper(runs, voted, audit(voted, judge, leak_audit=True, devils_advocate="none"))


def time_score_pdf(judge: Judge, paper: str) -> float:
    """How many seconds `score_pdf` takes."""
    start = time.perf_counter()
    score_pdf(judge, paper)
    return time.perf_counter() - start


def new_chats(store: Path, seen: set[Path]) -> list[dict[str, object]]:
    """The chats whose replies were stored since the last call, the oldest reply first.

    `store` has one file for each reply, with the chat under `request`. `seen` are the files of the
    earlier calls; the new files are added to it.
    """
    new = sorted(set(store.glob("*.json")) - seen, key=lambda path: path.stat().st_mtime_ns)
    seen.update(new)
    return [json.loads(path.read_text(encoding="utf-8"))["request"] for path in new]


def post(url: str, chats: list[dict[str, object]]) -> float:
    """How many seconds the bare server takes for the chats, one after the other."""
    start = time.perf_counter()
    with httpx.Client(base_url=url, timeout=300, trust_env=False) as client:
        for chat in chats:
            body = {name: value for name, value in chat.items() if value is not None}
            # The address is no part of the body, and the bare server has one model of a fixed name.
            body.pop("api_base", None)
            body["model"] = MODEL_NAME
            client.post("chat/completions", json=body).raise_for_status()
    return time.perf_counter() - start


def main() -> None:
    """Time each paper in the four ways, and print the medians."""
    entry = yaml.safe_load(Path("config/judges.yaml").read_text(encoding="utf-8"))[JUDGE]
    del entry["label"]
    settings = JudgeSettings(JUDGE, **entry)
    gguf = Path(f"results/downloads/{settings.model}.gguf")
    lexical = JudgeSettings("lexical", "lexical")
    planted = sorted(path.name for path in SOURCES.glob("planted-*") if path.is_dir())
    # The first paper is not timed: it starts the embedded server, loads the libraries and has both
    # servers read the beginning that all prompts share.
    first, *papers = planted[: PAPERS + 1]

    times: list[PaperTimes] = []
    seen: set[Path] = set()
    with TemporaryDirectory() as folder:
        responses = Path(folder)
        store = responses / JUDGE
        with (
            open_judge(settings, prompts=PROMPTS, responses=responses, weights=[gguf]) as judge,
            open_judge(lexical, prompts=PROMPTS, responses=responses, weights=[]) as rules,
            embedded_server(gguf, context_tokens=settings.context_tokens, slots=SLOTS) as url,
        ):
            score_pdf(rules, first)
            score_pdf(judge, first)
            post(url, new_chats(store, seen))
            for paper in papers:
                # In this order: ours stores the replies that the peer's chats and the replay need.
                measured = PaperTimes(
                    ours_s=time_score_pdf(judge, paper),
                    peer_s=post(url, new_chats(store, seen)),
                    replay_s=time_score_pdf(judge, paper),
                    rules_s=time_score_pdf(rules, paper),
                )
                times.append(measured)
                print(
                    f"{paper}: ours {measured.ours_s:.1f} s, "
                    f"the judge alone {measured.peer_s:.1f} s",
                    flush=True,
                )

    ours_s = statistics.median(paper_times.ours_s for paper_times in times)
    peer_s = statistics.median(paper_times.peer_s for paper_times in times)
    replay_s = statistics.median(paper_times.replay_s for paper_times in times)
    rules_s = statistics.median(paper_times.rules_s for paper_times in times)
    peer_share = statistics.median(paper_times.peer_s / paper_times.ours_s for paper_times in times)
    print(
        f"{len(papers)} papers, {RUNS} runs each, {len(seen)} calls with those of the first paper"
    )
    print_result(
        "claims",
        papers_per_minute=round(60 / ours_s, 2),
        share_outside_the_judge=round(1 - peer_share, 3),
        papers_per_minute_replayed=round(60 / replay_s, 1),
        papers_per_minute_lexical=round(60 / rules_s, 1),
        ours_s=round(ours_s, 2),
        peer_s=round(peer_s, 2),
    )


if __name__ == "__main__":
    main()
