"""The commands that the documents print."""

import re

from tests.checkout import REPOSITORY

LISTED_IN = "Commands that no test runs"  # a heading of docs/ci.md
# Code in a sentence is a command if it begins with one of these; in a block of a shell every line
# is one.
BEGINNINGS = (
    "snakemake ",
    "make ",
    "mechaware ",
    "python -m ",
    ".venv/bin/python",
    "bash tests/",
    ".ci/run",
    "podman ",
    "apptainer ",
    "git clone",
    "scancel ",
    "touch ",
)
SHELLS = ("sh", "bash", "console", "shell")
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def section_and_rest(text: str, heading: str) -> tuple[str, str]:
    """A section of a document, and the document without it."""
    before, _, after = text.partition(f"\n## {heading}\n")
    section, following, rest = after.partition("\n## ")
    return section, before + following + rest


def command(line: str) -> str:
    """A line of a shell without its comment, what measures or permits the command,
    and where its output goes.
    """
    line = re.sub(r"(^|\s+)#.*", "", line.strip())
    return re.sub(r"^(sudo|/usr/bin/time -v|\.venv/bin/(?=python)) ?", "", line).partition(" | ")[0]


def in_blocks(text: str) -> list[str]:
    """The commands of the blocks of a Markdown text;
    of a block without a language, those that begin as commands do.
    """
    commands = []
    for language, block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            words = " ".join(command(line).split())
            is_of_shell = language in SHELLS
            is_command = not language and words.startswith(BEGINNINGS)
            if words and (is_of_shell or is_command) and not words.startswith("export "):
                commands.append(words)
    return commands


def listed_in(section: str) -> list[str]:
    """The commands in the first column of the section's table;
    a row without a reason lists nothing.
    """
    commands = []
    for first_cell in re.findall(r"^\| (`.*`) \| \S.* \|$", section, re.MULTILINE):
        commands += re.findall(r"`([^`]+)`", first_cell)
    return commands


def timed_in(script: str) -> list[str]:
    """The commands that the gate's script times, each without what puts it into the background."""
    return [command(line) for line in re.findall(r"^timed (.*?)(?: &.*)?$", script, re.M)]


SECTION, CI = section_and_rest((REPOSITORY / "docs/ci.md").read_text(), LISTED_IN)
LISTED = listed_in(SECTION)
INSTALLED = (
    "pip install '.[claims]'",  # by test_library.py
    "pip install '.[workflow]'",  # by test_installed.py
)
GATE = [".ci/run", *INSTALLED, *timed_in((REPOSITORY / ".ci/run").read_text())]
