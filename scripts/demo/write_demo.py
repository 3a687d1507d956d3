"""The demo's page: three questions, their answers with measured error rates, and what to type for one's own."""

import json
from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from scripts.command import Output


def main(*, seen: Path, unseen: Path, pairs: Path, paper: Path, page: Output) -> None:
    """Write the page from the doors' verdicts and from the folder of a planted paper's reading aid."""
    read = json.loads(seen.read_text(encoding="utf-8"))
    not_read = json.loads(unseen.read_text(encoding="utf-8"))
    task = json.loads(pairs.read_text(encoding="utf-8"))
    aid = json.loads((paper / "reading.json").read_text(encoding="utf-8"))

    # By how often the items were read. The rates also have estimates of the share of seen items, which the page does
    # not print.
    seen_rates = {}
    for rate in read["error_rates"]["rates"]:
        is_error = rate["measure"] in ("false alarms", "power")
        if is_error and rate["case"]["items"] == read["n"]:
            seen_rates[rate["case"]["times"]] = rate

    task_rates = {}
    for rate in task["error_rates"]["rates"]:
        task_rates[rate["case"]["rules"], rate["measure"]] = rate

    text = page_template(Path(__file__).with_name("demo.html.j2")).render(
        read=read,
        not_read=not_read,
        rates=seen_rates,
        task=task,
        sets={judged["rules"]: judged for judged in task["evidence"]["sets"]},
        right=task_rates,
        aid=aid,
    )
    with atomic_write(page) as partial:
        partial.write_text(text, encoding="utf-8")
