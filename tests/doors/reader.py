"""A reader of a document, who does in a copy of the repository what its fenced blocks say."""

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

# What a reader lists beside the README's items; the model may have seen them, so that the verdict
# means nothing.
CONTROL = """id,question,answer
togo,What is the capital of Togo?,Lome
iraq,What is the capital of Iraq?,Baghdad
laos,What is the capital of Laos?,Vientiane
niue,What is the capital of Niue?,Alofi
chile,What is the capital of Chile?,Santiago
kenya,What is the capital of Kenya?,Nairobi
"""
# What detectors need of keys that an entry may lack.
OF_OTHER_KEYS = {
    "reference",
    "gains",
    "after_unseen",
    "after_seen",
    "corpus",
    "token_counts",
    "seen",
}
BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks_of(document: str) -> list[str]:
    """The fenced blocks of a document, as printed, in their order."""
    return BLOCK.findall((REPOSITORY / document).read_text())


class Reader(NamedTuple):
    """A reader at a shell in `folder`; the jobs of the reader's runs are started by the
    `python` in `python`.
    """

    folder: Path
    python: Path

    def types(self, commands: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run commands as printed; fails with what they print if one of them fails."""
        path = os.pathsep.join(
            (str(self.python), str(Path(sys.executable).parent), os.environ["PATH"])
        )
        environment = os.environ | {"PATH": path} | variables
        # By these `make test` tells a `make` that it starts of itself.
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            environment.pop(name, None)
        shell = ["bash", "-ec", commands]
        run = subprocess.run(
            shell, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, f"{commands}\n{run.stdout[-3000:]}\n{run.stderr[-8000:]}"
        return run

    def adds(self, block: str, file: str) -> None:
        """Write a block to the end of a file, which may be new."""
        with (self.folder / file).open("a") as stream:
            stream.write(block)

    def configures(self, block: str) -> None:
        """Enter the keys of a block in config/config.yaml."""
        path = self.folder / "config/config.yaml"
        config = yaml.safe_load(path.read_text())
        update_config(config, yaml.safe_load(block))
        # JSON is YAML 1.2. PyYAML would write the revision 98769e6 without quotes, which in YAML
        # 1.2 is a number.
        path.write_text(json.dumps(config))

    def has_environment(self) -> None:
        """Lay the environment of the tests where `make` would install it."""
        environment = self.folder / ".venv"
        environment.mkdir()
        for path in Path(sys.prefix).glob("[!.]*"):
            (environment / path.name).symlink_to(path)
        (environment / ".matches-lock").touch()


def types_and_ends_with(reader: Reader, command: str, transcript: str, status: int) -> str:
    """Type a tutorial's command: it ends with the answer and the page of the transcript, and with
    `status`.

    The rest of a last line has numbers, whose last digits are those of a machine. Returns the last
    line.
    """
    as_installed = 'mechaware() { python -m mechaware.doors.command "$@"; }'
    answered = reader.types(f"{as_installed}\n{command.strip()} || echo status $?")
    lines = answered.stdout.splitlines()
    if status:
        assert lines.pop() == f"status {status}"
    last = lines[-1]
    printed = transcript.splitlines()[-1]
    assert last.split(": ")[:2] == printed.split(": ")[:2]
    assert last.partition("; open ")[2] == printed.partition("; open ")[2] != ""
    assert (reader.folder / last.partition("; open ")[2]).is_file()
    return last


def in_copy_of(finished: Checkout, folder: Path) -> Reader:
    """A reader in a copy of the finished small run, with its config as the default one,
    and a paper `my.pdf`.
    """
    shutil.copytree(finished.folder, folder, symlinks=True)
    reader = Reader(folder, finished.python)
    reader.configures((folder / "config/test.yaml").read_text())
    reader.has_environment()
    own_paper(folder / "my.pdf")
    return reader


def own_paper(path: Path) -> None:
    """Write the PDF of a short paper, whose one claim rests on an ablation."""
    import typst

    text = path.with_suffix(".typ")
    text.write_text(f"= A head that compares ages\n\n{CLAIM} {EVIDENCE}\n\n{FILLER}\n")
    typst.compile(text, output=path)
    text.unlink()


CLAIM = "We show that head 7.4 copies the larger of two ages to the last position of the prompt."
EVIDENCE = "Mean ablation of head 7.4 reduces the accuracy from 97% to 12% in 400 prompts."
FILLER = "The prompts were written by hand, and two readers checked them. " * 6
