"""A reader of the documents, who follows their fenced blocks in a copy of the repository.

`Reader` types the commands of a block and writes blocks to files. `in_copy_of` gives it a finished
run; `types_and_ends_with` compares a command with the transcript that a tutorial prints.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import yaml
from snakemake.utils import update_config

from tests.checkout import REPOSITORY, Checkout

# A control for the items in docs/tutorials/seen.md. The model may have seen it, so that the verdict
# means nothing.
CONTROL = """id,question,answer
togo,What is the capital of Togo?,Lome
iraq,What is the capital of Iraq?,Baghdad
laos,What is the capital of Laos?,Vientiane
niue,What is the capital of Niue?,Alofi
chile,What is the capital of Chile?,Santiago
kenya,What is the capital of Kenya?,Nairobi
"""
# Fields of `Evidence` that are measured only if a benchmark's entry in the config has the keys that
# they need, such as `reference`.
FIELDS_OF_OPTIONAL_KEYS = {
    "reference",
    "gains",
    "after_unseen",
    "after_seen",
    "corpus",
    "token_counts",
    "seen",
}
# The content of a fenced block that names its language.
BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A paper of one claim, which rests on an ablation.
CLAIM = "We show that head 7.4 copies the larger of two ages to the last position of the prompt."
EVIDENCE = "Mean ablation of head 7.4 reduces the accuracy from 97% to 12% in 400 prompts."
FILLER = "The prompts were written by hand, and two readers checked them. " * 6


def blocks_of(document: str) -> list[str]:
    """The contents of a document's fenced blocks, in their order."""
    return BLOCK.findall((REPOSITORY / document).read_text())


class Reader(NamedTuple):
    """A reader at a shell.

    - `folder`: the working directory, a copy of the repository.
    - `python`: the folder of the `python` that the reader's commands find, and that starts the jobs
      of their workflows.
    """

    folder: Path
    python: Path

    def types(self, commands: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run commands as printed, with `variables` added to the environment.

        If one of them fails, the test fails with the end of what they printed.
        """
        path = os.pathsep.join(
            (str(self.python), str(Path(sys.executable).parent), os.environ["PATH"])
        )
        environment = os.environ | {"PATH": path} | variables
        # `make test` sets these, so that a `make` inside it would run as a part of `make test`. The
        # reader's `make` runs by itself.
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            environment.pop(name, None)
        shell = ["bash", "-ec", commands]
        run = subprocess.run(
            shell, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, f"{commands}\n{run.stdout[-3000:]}\n{run.stderr[-8000:]}"
        return run

    def adds(self, block: str, file: str) -> None:
        """Append a block to a file, which may not exist yet."""
        with (self.folder / file).open("a") as stream:
            stream.write(block)

    def configures(self, block: str) -> None:
        """Set the keys of a YAML block in config/config.yaml; the other keys stay."""
        path = self.folder / "config/config.yaml"
        config = yaml.safe_load(path.read_text())
        update_config(config, yaml.safe_load(block))
        # Written as JSON, which is YAML 1.2: PyYAML would write the revision 98769e6 without
        # quotes, and YAML 1.2 would read it as a number.
        path.write_text(json.dumps(config))

    def link_environment(self) -> None:
        """Link the environment of the tests to .venv, where `make` would install one."""
        environment = self.folder / ".venv"
        environment.mkdir()
        for path in Path(sys.prefix).glob("[!.]*"):
            (environment / path.name).symlink_to(path)
        # `make` takes an environment with this file for up to date.
        (environment / ".matches-lock").touch()


def types_and_ends_with(reader: Reader, command: str, transcript: str, status: int) -> str:
    """Type a tutorial's command, check how it ends, and return its last line.

    It must end with the exit status `status`. Its last line must have the name, the verdict and the
    page of the transcript's last line, and the page must exist:

        NAME: VERDICT: REASON; open PAGE

    The reason is not compared: the last digits of its numbers depend on the machine.
    """
    as_installed = 'mechaware() { python -m mechaware.doors.command "$@"; }'
    run = reader.types(f"{as_installed}\n{command.strip()} || echo status $?")
    lines = run.stdout.splitlines()
    if status:
        assert lines.pop() == f"status {status}"
    last = lines[-1]
    expected = transcript.splitlines()[-1]
    assert last.split(": ")[:2] == expected.split(": ")[:2]

    page = last.partition("; open ")[2]
    assert page
    assert page == expected.partition("; open ")[2]
    assert (reader.folder / page).is_file()
    return last


def in_copy_of(finished: Checkout, folder: Path) -> Reader:
    """A reader in a copy of the finished small run.

    The small run's config, config/test.yaml, is entered in config/config.yaml, so that commands
    without `--configfile` use it. The folder also has a paper, my.pdf.
    """
    shutil.copytree(finished.folder, folder, symlinks=True)
    reader = Reader(folder, finished.python)
    reader.configures((folder / "config/test.yaml").read_text())
    reader.link_environment()
    write_paper(folder / "my.pdf")
    return reader


def write_paper(path: Path) -> None:
    """Write the short paper of `CLAIM`, `EVIDENCE` and `FILLER` as a PDF."""
    import typst

    text = path.with_suffix(".typ")
    text.write_text(f"= A head that compares ages\n\n{CLAIM} {EVIDENCE}\n\n{FILLER}\n")
    typst.compile(text, output=path)
    text.unlink()
