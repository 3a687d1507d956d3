"""The commands that the documents print, those that the gate runs, and those that no test runs."""

import re

from tests.checkout import REPOSITORY

# The heading in docs/ci.md under which commands are listed that no test runs, with the reason.
LIST_HEADING = "Commands that no test runs"
# In a block of a shell every line is a command. Elsewhere, in a sentence or in a block without a
# language, code is a command if it begins with one of these.
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


def bare_command(line: str) -> str:
    """A line of a shell without its comment, without `sudo`, `/usr/bin/time -v` or `.venv/bin/`
    before the command, and without the programs that read the command's output.
    """
    line = re.sub(r"(^|\s+)#.*", "", line.strip())
    line = re.sub(r"^(sudo|/usr/bin/time -v|\.venv/bin/(?=python)) ?", "", line)
    return line.partition(" | ")[0]


def commands_in_blocks(text: str) -> list[str]:
    """The commands in the fenced blocks of a Markdown text, without lines that begin with `export`.

    A command that goes on after a backslash is one line.
    """
    commands = []
    for language, block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            command = " ".join(bare_command(line).split())
            if language in SHELLS:
                is_command = command != "" and not command.startswith("export ")
            else:
                is_command = language == "" and command.startswith(BEGINNINGS)
            if is_command:
                commands.append(command)
    return commands


def commands_with_reason(section: str) -> list[str]:
    """The commands in the first column of the section's table, of rows that give a reason in the
    second column.
    """
    commands = []
    for first_cell in re.findall(r"^\| (`.*`) \| \S.* \|$", section, re.MULTILINE):
        commands += re.findall(r"`([^`]+)`", first_cell)
    return commands


def timed_commands(script: str) -> list[str]:
    """The commands that a script runs by `timed COMMAND`, each without `&` and what follows it."""
    return [bare_command(line) for line in re.findall(r"^timed (.*?)(?: &.*)?$", script, re.M)]


LIST, CI_WITHOUT_LIST = section_and_rest((REPOSITORY / "docs/ci.md").read_text(), LIST_HEADING)
LISTED = commands_with_reason(LIST)
# tests/workflow/test_library.py runs the first, tests/workflow/test_installed.py the second.
INSTALLED = ("pip install '.[claims]'", "pip install '.[workflow]'")
GATE = [".ci/run", *INSTALLED, *timed_commands((REPOSITORY / ".ci/run").read_text())]
