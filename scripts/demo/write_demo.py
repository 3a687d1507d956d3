"""The demo's page: three questions, their answers with measured error rates, and what to type for one's own."""

import json
from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from scripts.command import Output


def main(*, seen: Path, unseen: Path, pairs: Path, paper: Path, truth: Path, page: Output) -> None:
    """Write the page from the doors' verdicts, the folder of a planted paper's page, and the paper's truth."""
    read, not_read, task, planted = (
        json.loads(path.read_text("utf-8")) for path in (seen, unseen, pairs, truth)
    )
    score, accuracy, *_ = (paper / "summary.txt").read_text("utf-8").splitlines()
    as_many_items = [
        rate for rate in read["error_rates"]["rates"] if rate["case"]["items"] == read["n"]
    ]
    text = page_template(Path(__file__).with_name("demo.html.j2")).render(
        read=read,
        not_read=not_read,
        rates={
            rate["case"]["times"]: rate for rate in as_many_items
        },  # by how often the items were read
        task=task,
        sets={judged["rules"]: judged for judged in task["evidence"]["sets"]},
        right={
            (rate["case"]["rules"], rate["measure"]): rate for rate in task["error_rates"]["rates"]
        },
        score=score,
        accuracy=accuracy.partition("; ")[
            2
        ],  # after the advice, which the page gives in words of its own
        tier=planted["tier"],
    )
    with atomic_write(page) as partial:
        partial.write_text(text, encoding="utf-8")
