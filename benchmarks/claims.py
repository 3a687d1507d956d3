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
    """From the paper's PDF to its scores."""
    document = SOURCES / paper / "document.pdf"
    text, about = extract_text(document, paper=paper, max_pages=50, memory_mb=1500, timeout_s=120)
    runs = [judge.extract(text, about, run) for run in range(RUNS)]
    voted = vote(runs, least_similarity=0.5)
    score_paper(runs, voted, audit(voted, judge, leak_audit=True, devils_advocate="none"))


def timed(judge: Judge, paper: str) -> float:
    """How many seconds ours takes."""
    start = time.perf_counter()
    ours(judge, paper)
    return time.perf_counter() - start


def new_chats(store: Path, seen: set[Path]) -> list[dict[str, object]]:
    """The chats whose replies came into the store since the last call, in their order; `seen` grows by their files."""
    new = sorted(set(store.glob("*.json")) - seen, key=lambda path: path.stat().st_mtime_ns)
    seen.update(new)
    return [json.loads(path.read_text(encoding="utf-8"))["request"] for path in new]


def post(url: str, chats: list[dict[str, object]]) -> float:
    """How many seconds the bare server takes for the chats, one after the other."""
    start = time.perf_counter()
    with httpx.Client(base_url=url, timeout=300, trust_env=False) as client:
        for chat in chats:
            body = {name: value for name, value in chat.items() if value is not None}
            body.pop("api_base", None)
            body["model"] = MODEL_NAME
            client.post("chat/completions", json=body).raise_for_status()
    return time.perf_counter() - start


def main() -> None:
    """Read the papers in both ways, in turns, and print how they compare."""
    entry = yaml.safe_load(Path("config/judges.yaml").read_text(encoding="utf-8"))[JUDGE]
    del entry["label"]
    settings = JudgeSettings(JUDGE, **entry)
    gguf = Path(f"results/downloads/{settings.model}.gguf")
    lexical = JudgeSettings("lexical", "lexical")
    planted = sorted(path.name for path in SOURCES.glob("planted-*") if path.is_dir())
    # The first one starts the server, loads the libraries and reads what all prompts open with.
    first, *papers = planted[: PAPERS + 1]

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
            post(url, new_chats(store, seen))
            for paper in papers:
                ours_s.append(timed(judge, paper))
                peer_s.append(post(url, new_chats(store, seen)))
                replay_s.append(timed(judge, paper))
                rules_s.append(timed(rules, paper))
                print(
                    f"{paper}: ours {ours_s[-1]:.1f} s, the judge alone {peer_s[-1]:.1f} s",
                    flush=True,
                )

    ratios = [peer / mine for mine, peer in zip(ours_s, peer_s, strict=True)]
    print(
        f"{len(papers)} papers, {RUNS} runs each, {len(seen)} calls with those of the first paper"
    )
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
