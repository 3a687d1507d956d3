"""From a PDF to scored claims with the embedded judge, compared with the same chats sent to a bare server.

Run `.venv/bin/python -m benchmarks.claims` after `make results`, which makes the papers and the model. Ours reads the
text of a planted paper, runs the embedded judge three times, votes, audits and scores, with an empty store of replies.
The peer has a server of its own and posts the same chats to it, in the same order, with httpx and nothing else. The
time of ours beyond the peer's is spent outside the judge. Then ours processes the papers again with the replies
stored, which measures only its own work. The two take turns, paper by paper; ratios are medians over the papers.
"""

import json
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

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


def ours(judge: Judge, paper: str) -> None:
    document = SOURCES / paper / "document.pdf"
    text, about = extract_text(document, paper=paper, max_pages=50, memory_mb=1500, timeout_s=120)
    runs = [judge.extract(text, about, run) for run in range(RUNS)]
    voted = vote(runs, least_similarity=0.5)
    score_paper(runs, voted, audit(voted, judge, leak_audit=True, devils_advocate="none"))


def timed(judge: Judge, paper: str) -> float:
    start = time.perf_counter()
    ours(judge, paper)
    return time.perf_counter() - start


def asked(store: Path, already: set[Path]) -> list[dict[str, object]]:
    """The chats that were stored since, in their order."""
    new = sorted(set(store.glob("*.json")) - already, key=lambda path: path.stat().st_mtime_ns)
    already.update(new)
    return [json.loads(path.read_text(encoding="utf-8"))["request"] for path in new]


def straight(url: str, chats: list[dict[str, object]]) -> float:
    start = time.perf_counter()
    with httpx.Client(base_url=url, timeout=300, trust_env=False) as client:
        for chat in chats:
            body = {
                name: value
                for name, value in chat.items()
                if value is not None and name != "api_base"
            }
            client.post("chat/completions", json=body | {"model": MODEL_NAME}).raise_for_status()
    return time.perf_counter() - start


def main() -> None:
    entry = yaml.safe_load(Path("config/judges.yaml").read_text(encoding="utf-8"))[JUDGE]
    settings = JudgeSettings(
        JUDGE, **{name: value for name, value in entry.items() if name != "label"}
    )
    gguf = Path(f"results/downloads/{settings.model}.gguf")
    lexical = JudgeSettings("lexical", "lexical")
    papers = sorted(path.name for path in SOURCES.glob("planted-*") if path.is_dir())[: PAPERS + 1]
    first, *papers = (
        papers  # the first one starts the server, loads the libraries and reads what all prompts open with
    )
    ours_s = []
    peer_s = []
    replay_s = []
    rules_s = []
    seen: set[Path] = set()
    with TemporaryDirectory() as folder:
        responses = Path(folder)
        store = responses / JUDGE
        with (
            open_judge(settings, prompts=PROMPTS, responses=responses, weights=[gguf]) as judge,
            open_judge(lexical, prompts=PROMPTS, responses=responses, weights=[]) as rules,
            embedded_server(gguf, context_tokens=settings.context_tokens, slots=SLOTS) as url,
        ):
            ours(rules, first)
            ours(judge, first)
            straight(url, asked(store, seen))
            for paper in papers:
                ours_s.append(timed(judge, paper))
                peer_s.append(straight(url, asked(store, seen)))
                replay_s.append(timed(judge, paper))
                rules_s.append(timed(rules, paper))
                print(
                    f"{paper}: ours {ours_s[-1]:.1f} s, the judge alone {peer_s[-1]:.1f} s",
                    flush=True,
                )
        calls = len(seen)
    ratios = [peer / mine for mine, peer in zip(ours_s, peer_s, strict=True)]
    print(f"{len(papers)} papers, {RUNS} runs each, {calls} calls with that of the first paper")
    print_result(
        "claims",
        papers_per_minute=round(60 / statistics.median(ours_s), 2),
        share_outside_the_judge=round(1 - statistics.median(ratios), 3),
        papers_per_minute_replayed=round(60 / statistics.median(replay_s), 1),
        papers_per_minute_lexical=round(60 / statistics.median(rules_s), 1),
        ours_s=round(statistics.median(ours_s), 2),
        peer_s=round(statistics.median(peer_s), 2),
    )


if __name__ == "__main__":
    main()
