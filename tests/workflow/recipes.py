"""What the documents tell a user to write, done in a copy of the tree."""

import re
from pathlib import Path

from tests.checkout import REPOSITORY

CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text()
# A file's path on a line of its own, and below it what goes into the file.
FILES = dict(
    re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
)

# The figure of the recipes.
FIGURE = "radar_score_histogram"


def follow(path: str, folder: Path) -> None:
    """Write the recipe's text to the end of a file, which may be new."""
    file = folder / path
    before = file.read_text() if file.exists() else ""
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{before}\n\n{FILES[path]}" if before else FILES[path])
