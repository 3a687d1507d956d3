"""The demo's page: three questions, their answers with measured error rates, and what to type for one's own."""

import json
from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from scripts.command import Output


def main(*, seen: Path, unseen: Path, pairs: Path, paper: Path, page: Output) -> None:
    """Write the page from the doors' verdicts and from the folder of a planted paper's reading aid."""
    read, not_read, task, aid = (
        json.loads(path.read_text("utf-8"))
        for path in (seen, unseen, pairs, paper / "reading.json")
    )
    # The rates also have estimates of the share of seen items, which the page does not print.
    seen_rates = {
        rate["case"]["times"]: rate
        for rate in read["error_rates"]["rates"]
        if rate["measure"] in ("false alarms", "power") and rate["case"]["items"] == read["n"]
    }
    text = page_template(Path(__file__).with_name("demo.html.j2")).render(
        read=read,
        not_read=not_read,
        rates=seen_rates,  # by how often the items were read
        task=task,
        sets={judged["rules"]: judged for judged in task["evidence"]["sets"]},
        right={
            (rate["case"]["rules"], rate["measure"]): rate for rate in task["error_rates"]["rates"]
        },
        aid=aid,
    )
    with atomic_write(page) as partial:
        partial.write_text(text, encoding="utf-8")
