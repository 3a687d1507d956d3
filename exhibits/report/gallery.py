"""The results of a finished run that the repository shows to readers who have installed nothing.

The gallery is a folder with the paper and the figures; the findings in the README are a template with a run's numbers.
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from exhibits.report.values import Value
from exhibits.report.wording import wording
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256

BEGIN, END = (
    "<!-- findings: made by `make gallery` from docs/findings.md.j2 -->\n",
    "<!-- end of findings -->\n",
)


def write_gallery(results: Path, config: Path, captions: Path, gallery: Path) -> None:
    """Copy the paper and the figures of `results` to `gallery`, with a README that says what made them.

    The commit is that of the paper's record. Raises `UserError` if the results are not there, if the record names no
    commit, or if the code or the config had changes that no commit holds.
    """
    paper = results / "paper/paper.pdf"
    record = paper.with_suffix(".provenance.json")
    for file in (paper, record):
        if not file.exists():
            raise UserError(f"{file}: not there; run `make results` first")
    git = json.loads(record.read_text(encoding="utf-8"))["git"]
    if git["commit"] is None:
        reason = git.get("reason", "no git repository")
        raise UserError(
            f"{paper}: its record names no commit ({reason}); mend that and run `make results` again"
        )
    if git["modified"]:
        raise UserError(
            f"{paper}: made with changes that no commit holds; commit them and run `make results` again"
        )
    written = (captions / "figures").glob("*.rst")
    texts = {
        path.stem: " ".join(path.read_text(encoding="utf-8").replace("``", "`").split())
        for path in written
    }
    # A figure without a caption is left from an older version of the workflow.
    figures = sorted(path for path in (results / "figures").glob("*.png") if path.stem in texts)
    lines = [
        "# Gallery",
        "",
        f"The [paper](paper.pdf) and the figures of the default run, at commit `{git['commit']}`",
        f"with `config/{config.name}` (SHA-256 `{sha256(config)}`). `make gallery` writes this folder.",
    ]
    for figure in figures:
        lines += [
            "",
            f"## {figure.stem}",
            "",
            f"![{figure.stem}]({figure.name})",
            "",
            texts[figure.stem],
        ]
    with atomic_write(gallery) as partial:
        partial.mkdir()
        for file in (paper, *figures):
            shutil.copyfile(file, partial / file.name)
        (partial / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_findings(template: str, values: Mapping[str, Value]) -> tuple[str, dict[str, Value]]:
    """The findings as Markdown, and the values that they use.

    In the template `value(key)` is an entry of `values`; the filters `percent` and `decimals` print an entry or a
    number. Raises `UserError` for a key that `values` lacks.
    """
    used: dict[str, Value] = {}
    try:
        findings = wording(values, used).from_string(template).render()
    except LookupError as error:
        raise UserError(f"docs/findings.md.j2: {error.args[0]}") from None
    return findings.strip() + "\n", used


def read_values(paths: Iterable[Path]) -> dict[str, Value]:
    """The values of all studies, by key."""
    values: dict[str, Value] = {}
    for path in paths:
        values |= json.loads(path.read_text(encoding="utf-8"))["values"]
    return values


def replace_findings(readme: str, findings: str) -> str:
    """The README with the findings between its two marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + findings + END + after
