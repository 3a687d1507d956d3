"""Write the demo's page: three questions, their answers with error rates, and commands to type."""

import json
from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from scripts.command import Output


def main(*, seen: Path, unseen: Path, pairs: Path, paper: Path, page: Output) -> None:
    """Write the page.

    `seen` and `unseen` are the verdicts (verdict.json) on a benchmark that the model has read and
    on one that it has not; `pairs` is the verdict on a task's pairs of prompts; `paper` is the
    folder of a planted paper's reading aid.
    """
    seen_verdict = json.loads(seen.read_text(encoding="utf-8"))
    unseen_verdict = json.loads(unseen.read_text(encoding="utf-8"))
    task = json.loads(pairs.read_text(encoding="utf-8"))
    aid = json.loads((paper / "reading.json").read_text(encoding="utf-8"))

    # The rates for benchmarks of the same number of items, by how often their items were read. The
    # verdict also has rates of estimates of the share of seen items, which the page does not print.
    seen_rates = {}
    for rate in seen_verdict["error_rates"]["rates"]:
        is_rate_of_verdict = rate["measure"] in ("false alarms", "power")
        if is_rate_of_verdict and rate["case"]["items"] == seen_verdict["n"]:
            seen_rates[rate["case"]["times"]] = rate

    # By the set of rules, such as "R1 to R3", and "sensitivity" or "specificity".
    task_rates = {}
    for rate in task["error_rates"]["rates"]:
        task_rates[rate["case"]["rules"], rate["measure"]] = rate

    # By the set of rules: how many pairs pass it.
    passes = {rule_set["rules"]: rule_set for rule_set in task["evidence"]["sets"]}

    text = page_template(Path(__file__).with_name("demo.html.j2")).render(
        seen_verdict=seen_verdict,
        unseen_verdict=unseen_verdict,
        seen_rates=seen_rates,
        task=task,
        passes=passes,
        task_rates=task_rates,
        aid=aid,
    )
    with atomic_write(page) as partial:
        partial.write_text(text, encoding="utf-8")
