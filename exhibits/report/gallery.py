"""The gallery: a folder with the paper and the figures of a finished run.

The repository shows it to readers who have installed nothing.
"""

import json
import shutil
from pathlib import Path

from exhibits.report.reported import commit_of
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256


def write_gallery(results: Path, config: Path, captions: Path, gallery: Path) -> None:
    """Copy the paper and the figures of `results` to `gallery`, with a README that says what made
    them.

    The commit is the one in the paper's record. Raises `UserError` if the results are not there, if
    the record names no commit, or if the code or the config had uncommitted changes.
    """
    paper = results / "paper/paper.pdf"
    record = paper.with_suffix(".provenance.json")
    for file in (paper, record):
        if not file.exists():
            raise UserError(f"{file}: not there; run `make results` first")
    git = json.loads(record.read_text(encoding="utf-8"))["git"]
    commit = commit_of(git, str(paper), "make results")

    texts = {}
    for path in (captions / "figures").glob("*.rst"):
        markdown = path.read_text(encoding="utf-8").replace("``", "`")
        texts[path.stem] = " ".join(markdown.split())
    # A figure without a caption is left from an older version of the workflow.
    figures = sorted(path for path in (results / "figures").glob("*.png") if path.stem in texts)

    lines = [
        "# Gallery",
        "",
        f"The [paper](paper.pdf) and the figures of a run with `config/{config.name}`",
        f"(SHA-256 `{sha256(config)}`) at commit `{commit}`.",
        f"`make gallery CONFIG=config/{config.name}` writes this folder.",
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
