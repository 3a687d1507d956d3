"""The paper's sources, changed for a test that reads the text of its PDF."""

import shutil
from pathlib import Path

STYLE = "#show: body => page-style(title, authors, body)\n"


def on_one_page(tree: Path, folder: Path, *, width: str = "21cm") -> Path:
    """The sources of `tree` in `folder`, set on one long page:
    no float and no end of a page cuts a sentence.
    """
    shutil.copytree(tree / "paper", folder / "paper")
    shutil.copy(tree / "CITATION.cff", folder)
    shutil.copytree(tree / "config/prompts", folder / "config/prompts")
    main = folder / "paper/main.typ"
    before, after = main.read_text().split(STYLE)
    page = f"#set page(columns: 1, width: {width}, height: auto, numbering: none)\n"
    main.write_text(f"{before}{STYLE}{page}{after}")
    return folder
