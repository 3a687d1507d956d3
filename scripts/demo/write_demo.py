"""The demo's page: three questions, their answers with measured error rates, and what to type for one's own."""

import json
from pathlib import Path
from typing import Any

from mechaware.files import atomic_write
from mechaware.pages import page_template
from scripts.command import Output, run

DOSES = (16, 1, 0)  # how often the items of a calibration's cell were read


def main(*, seen: Path, unseen: Path, pairs: Path, paper: Path, truth: Path, page: Output, lines: Output) -> None:
    """Write the page, and the `lines` that `make demo` ends with, from verdicts and the folder of a paper's page."""
    read, not_read, task = (json.loads(path.read_text(encoding="utf-8")) for path in (seen, unseen, pairs))
    score, accuracy, *_ = (paper / "summary.txt").read_text(encoding="utf-8").splitlines()
    text = page_template(Path(__file__).with_name("demo.html.j2")).render(
        read=read,
        not_read=not_read,
        rates={dose: error_rate(read, dose) for dose in DOSES},
        task=task,
        sets={judged["rules"]: judged for judged in task["sets"]},
        right=next(row["right"] for row in task["behaviour"] if (row["prompt"], row["group"]) == ("clean", "all")),
        score=score,
        accuracy=accuracy.strip(),
        tier=json.loads(truth.read_text(encoding="utf-8"))["tier"],
    )
    answers = [
        *(f"{name}: {verdict['status']}" for name, verdict in (("items read", read), ("items not read", not_read))),
        f"SmolLM2 on JSON values: {task['status']}",
        f"a planted paper: {score}",
        f"open {page}",
    ]
    for path, content in ((page, text), (lines, "\n".join(answers) + "\n")):
        with atomic_write(path) as partial:
            partial.write_text(content, encoding="utf-8")


def error_rate(verdict: dict[str, Any], dose: int) -> dict[str, float]:
    """The cell of a verdict's error rates with as many items as it has, all read `dose` times; 0: none was read."""
    cells: list[dict[str, float]] = verdict["error_rates"]["cells"]
    n = verdict["n_items"]
    return next(cell for cell in cells if (cell["dose"], cell["n_items"], cell["n_seen"]) == (dose, n, n if dose else 0))


if __name__ == "__main__":
    run(main)
