"""The gallery: the paper and the figures of a finished run, for readers who have installed nothing."""

import json
import shutil
from pathlib import Path

from mechaware.errors import UserError
from mechaware.files import replacing, sha256


def write_gallery(results: Path, config: Path, captions: Path, gallery: Path) -> None:
    """Copy the paper and the figures of `results` to `gallery`, with a README that says what made them.

    The commit is that of the paper's record. Raises `UserError` if the results are not there, or if the code or the
    config had changes that no commit holds.
    """
    paper = results / "paper/paper.pdf"
    record = paper.with_suffix(".provenance.json")
    for file in (paper, record):
        if not file.exists():
            raise UserError(f"{file}: not there; run `make results` first")
    git = json.loads(record.read_text())["git"]
    if git["commit"] is None or git["modified"]:
        raise UserError(f"{paper}: made with changes that no commit holds; commit them and run `make results` again")
    written = (captions / "figures").glob("*.rst")
    texts = {path.stem: " ".join(path.read_text().replace("``", "`").split()) for path in written}
    # A figure without a caption is left from an older version of the workflow.
    figures = sorted(path for path in (results / "figures").glob("*.png") if path.stem in texts)
    lines = [
        "# Gallery",
        "",
        f"The [paper](paper.pdf) and the figures of the default run, at commit `{git['commit']}`",
        f"with `config/{config.name}` (SHA-256 `{sha256(config)}`). `make gallery` writes this folder.",
    ]
    for figure in figures:
        lines += ["", f"## {figure.stem}", "", f"![{figure.stem}]({figure.name})", "", texts[figure.stem]]
    with replacing(gallery) as partial:
        partial.mkdir()
        for file in (paper, *figures):
            shutil.copyfile(file, partial / file.name)
        (partial / "README.md").write_text("\n".join(lines) + "\n")
