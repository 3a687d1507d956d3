"""Every command of the documents is checked here, run by the gate, or listed in docs/ci.md with the
reason why no test runs it.

- First the commands of all documents, and what `make` would run.
- Then one test that each command is accounted for, and for each program the tests of its commands:
  flags, targets, modules and verbs exist.
- Last, in the gate, a dry run of every command of Snakemake, in a copy of the repository in which a
  reader has written what the documents ask for.
"""

import argparse
import contextlib
import functools
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import pytest
import tyro
import yaml
from snakemake.utils import update_config

from mechaware.doors.command.arguments import command_line
from tests.checkout import PLANTED_KEYS, REPOSITORY, copy_of_the_tree
from tests.doors.reader import CONTROL
from tests.workflow.printed_commands import (
    BEGINNINGS,
    BLOCK,
    CI_WITHOUT_LIST,
    GATE,
    LIST_HEADING,
    LISTED,
    bare_command,
    commands_in_blocks,
)
from tests.workflow.recipes import FIGURE, FILES, follow

DOCUMENTS = [
    REPOSITORY / "README.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "SECURITY.md",
    *sorted(REPOSITORY.glob("docs/**/*.md")),
    *sorted(REPOSITORY.glob("tests/**/*.md")),
]
# The programs whose commands are checked here.
CHECKED = ("snakemake", "make", "mechaware", "python")


def commands_in_sentences(text: str) -> list[str]:
    """The commands in the sentences of a Markdown text."""
    commands = []
    for code in re.findall(r"`([^`]+)`", BLOCK.sub("", text)):
        words = " ".join(code.split())
        if words.startswith(BEGINNINGS):
            commands.append(bare_command(words))
    return commands


def find_commands(texts: Mapping[str, str]) -> dict[str, str]:
    """Every command in the documents `texts`, with the name of the last document that prints it."""
    documents = {}
    for name, text in texts.items():
        for command in (*commands_in_blocks(text), *commands_in_sentences(text)):
            documents[command] = name
    return documents


# The documents by their paths; docs/ci.md without its list of commands that no test runs.
TEXTS = {
    str(path.relative_to(REPOSITORY)): CI_WITHOUT_LIST if path.name == "ci.md" else path.read_text()
    for path in DOCUMENTS
}
PRINTED = find_commands(TEXTS)


def printed_commands_of(program: str) -> list[str]:
    """The commands in all documents that start `program`."""
    return sorted(command for command in PRINTED if command.split()[0] == program)


def steps_of_make(command: str) -> list[str]:
    """What a command of `make` would run, without the messages of `make` itself."""
    run = subprocess.run(
        ["make", "-n", *shlex.split(command)[1:]],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return [step for step in run.stdout.splitlines() if not re.match(r"make(\[\d+\])?: ", step)]


def workflow_steps(steps: list[str]) -> list[str]:
    """The steps that start Snakemake, each without the environment variables before it."""
    return _matching_ends(steps, r"(?<= )snakemake .*")


def module_steps(steps: list[str]) -> list[str]:
    """The steps that start a module of this repository, each without the environment variables
    before it.
    """
    return _matching_ends(steps, r"(?<= )python -m (?:scripts|benchmarks)\..*")


def _matching_ends(steps: list[str], pattern: str) -> list[str]:
    ends = []
    for step in steps:
        match = re.search(pattern, step)
        if match:
            ends.append(match[0])
    return ends


# Every command is accounted for


def unaccounted_commands(
    commands: Iterable[str], gate: Iterable[str], listed: Iterable[str]
) -> set[str]:
    """The commands that are neither checked here, nor run by the gate, nor listed.

    The beginning of a listed command counts as listed.
    """
    unaccounted = set()
    for command in commands:
        is_checked = command.split()[0] in CHECKED
        is_listed = any(known.startswith(command) for known in listed)
        if not is_checked and command not in gate and not is_listed:
            unaccounted.add(command)
    return unaccounted


def unchecked_steps(steps: Iterable[str], run: Collection[str]) -> list[str]:
    """The steps of a `make` command that no test runs and whose plan or flags no test checks.

    `run` are the steps that the gate runs. The plan of Snakemake and the flags of a script are
    checked. Of a benchmark the name is checked, and its flags if tyro reads them, but not what it
    does, so its step counts as unchecked.
    """
    checked = re.compile(r" (snakemake|python -m scripts\.\w+) ?")
    return [step for step in steps if step not in run and not checked.search(step)]


def test_every_command_is_checked_here_run_by_the_gate_or_listed_with_a_reason() -> None:
    unaccounted = unaccounted_commands(PRINTED, GATE, LISTED)
    missing = {f"{PRINTED[command]}: {command}" for command in unaccounted}
    assert not missing, f"list them in docs/ci.md, {LIST_HEADING}, or test them"


def test_a_make_command_with_a_step_that_nothing_runs_or_checks_is_listed_with_a_reason() -> None:
    run: set[str] = set()
    for command in GATE:
        if command.startswith("make "):
            run.update(steps_of_make(command))
    assert run

    # All targets of the Makefile, also those that no document prints.
    (targets,) = re.findall(r"^\.PHONY: (.*)$", (REPOSITORY / "Makefile").read_text(), re.M)
    commands = {f"make {target}" for target in targets.split()}
    commands.update(printed_commands_of("make"))
    commands.difference_update(LISTED)
    missing = {command for command in commands if unchecked_steps(steps_of_make(command), run)}

    assert not missing, f"list them in docs/ci.md, {LIST_HEADING}"


def test_every_listed_command_is_in_a_document() -> None:
    assert LISTED
    assert not set(LISTED) - PRINTED.keys()


# Commands of Snakemake


def snakemake_arguments(command: str) -> argparse.Namespace:
    """The arguments of a command as Snakemake reads them.

    Snakemake ends the process at a flag that it does not know.
    """
    # This import takes a second, so it waits until tests run.
    from snakemake.cli import parse_args

    with contextlib.chdir(REPOSITORY):
        _parser, arguments = parse_args(shlex.split(command)[1:])
    return arguments


def check_flags(command: str) -> None:
    """Snakemake knows the flags of a command, and the command's profile exists."""
    profile = snakemake_arguments(command).workflow_profile
    # Snakemake itself would ignore a profile that does not exist.
    assert profile is None or (REPOSITORY / profile).exists()


@pytest.mark.parametrize("command", printed_commands_of("snakemake"), ids=str)
def test_snakemake_knows_the_flags_and_the_profile(command: str) -> None:
    check_flags(command)


def test_a_block_that_starts_a_run_gives_snakemake_the_number_of_cores() -> None:
    for text in TEXTS.values():
        for command in commands_in_blocks(text):
            if command.startswith("snakemake "):
                arguments = snakemake_arguments(command)
                assert arguments.cores or arguments.dryrun or arguments.report, command


# Commands of Python


def check_module(command: str) -> None:
    """The module of `python -m MODULE ARGUMENTS` can be run, and knows the arguments."""
    _python, _m, module, *arguments = shlex.split(command)
    path = REPOSITORY / module.replace(".", "/")
    is_package = path.is_dir()
    source = (path / "__main__.py" if is_package else path.with_suffix(".py")).read_text()
    assert 'if __name__ == "__main__":' in source
    if not arguments:
        return

    reads_by_tyro = "tyro.cli(main)" in source
    if is_package:
        # A package of the library, which does not depend on tyro: its parser is argparse's.
        importlib.import_module(f"{module}.__main__").command_line().parse_args(arguments)
    elif module.startswith(("benchmarks.", "tests.")) and not reads_by_tyro:
        # Its flags are not checked, only that it reads arguments.
        assert "sys.argv" in source
    else:
        check_arguments(importlib.import_module(module).main, arguments)


def check_arguments(main: Callable[..., object], arguments: list[str]) -> None:
    """tyro reads the arguments for `main` without an error; `main` is not run."""

    @functools.wraps(main)
    def do_nothing(**_values: object) -> None:
        pass

    code: object = None
    try:
        tyro.cli(do_nothing, args=arguments)
    except SystemExit as end:
        # After --help the code is 0.
        code = end.code
    assert not code, arguments


@pytest.mark.parametrize("command", printed_commands_of("python"), ids=str)
def test_a_module_exists_and_knows_its_arguments(command: str) -> None:
    check_module(command)


# Commands of make


@pytest.mark.parametrize("command", printed_commands_of("make"), ids=str)
def test_make_has_the_target_reads_the_variables_and_its_steps_are_commands(command: str) -> None:
    steps = steps_of_make(command)
    for word in shlex.split(command):
        name, equals_sign, _value = word.partition("=")
        if equals_sign:
            # The given value may be the Makefile's default: another value must show in a step.
            marked = steps_of_make(command.replace(word, f"{name}=ANOTHER"))
            assert any("ANOTHER" in step for step in marked), f"no step reads {word}"
    for step in workflow_steps(steps):
        check_flags(step)
    for step in module_steps(steps):
        check_module(step)


# Commands of mechaware


@pytest.mark.parametrize("command", printed_commands_of("mechaware"), ids=str)
def test_mechaware_knows_the_verb_and_its_arguments(command: str) -> None:
    _mechaware, verb, *arguments = shlex.split(command)
    if verb == "run":
        check_flags(shlex.join(["snakemake", *arguments]))
        return

    # What follows `--` is for Snakemake.
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if own or verb == "demo":
        assert command_line().parse_args([verb, *own]).verb == verb
    else:
        # A sentence names the verb without its arguments.
        with pytest.raises(SystemExit) as ended:
            command_line().parse_args([verb, "--help"])
        assert ended.value.code == 0


# Plans of all commands


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh copy of the repository in which a reader has followed the documents.

    It has the reader's own paper, judge, SQL data, benchmark and figure.
    """
    folder = copy_of_the_tree(tmp_path_factory.mktemp("followed"))
    text = "".join(TEXTS.values())
    # All fenced blocks, by their first lines.
    blocks = {block.split("\n")[0]: block for _, block in BLOCK.findall(text)}

    # Paper and judge.
    for file, beginning in (
        ("config/judges.yaml", "my-judge:"),
        ("config/papers.csv", "my-paper,"),
    ):
        (first_line,) = [line for line in blocks if line.startswith(beginning)]
        with (folder / file).open("a") as listed:
            listed.write(blocks[first_line])
    shutil.copy(folder / "docs/gallery/paper.pdf", folder / "my.pdf")
    (folder / "my.yaml").write_text(
        "claims: {own_paper: my.pdf, own_judges: [my-judge], judges: [my-judge], planted_papers: 0}\n"
    )

    # SQL data.
    rows = {"train": 3, "valid": 1, "test": 1}
    data = {"source": "local", "path": "data/sql", "rows": rows}
    (folder / "my-sizes.yaml").write_text(yaml.safe_dump({"grounding": {"data": data}}))
    (folder / "data/sql").mkdir(parents=True)
    for split in rows:
        (folder / f"data/sql/{split}.jsonl").touch()

    # Benchmark.
    (folder / "my_benchmark.csv").write_text(blocks["id,question,answer"])
    (folder / "my_control.csv").write_text(CONTROL)
    config = yaml.safe_load((folder / "config/config.yaml").read_text())
    (suspected,) = re.findall(
        r"```yaml\n(radar:\n  suspected:.*?)```", TEXTS["docs/tutorials/seen.md"], re.S
    )
    update_config(config, yaml.safe_load(suspected))
    # As JSON, which is YAML 1.2. PyYAML would write the revision 98769e6 without quotes, and in
    # YAML 1.2 that is a number.
    (folder / "config/config.yaml").write_text(json.dumps(config))

    # Figure.
    for path, text_of_recipe in FILES.items():
        if FIGURE in path or FIGURE in text_of_recipe:
            follow(path, folder)
    return folder


def targets_by_flags() -> dict[tuple[str, ...], set[str]]:
    """The targets of all commands of Snakemake, by the flags that change the plan.

    One dry run with these flags and all their targets checks several commands.
    """
    commands = set(printed_commands_of("snakemake"))
    for command in set(printed_commands_of("make")).difference(LISTED):
        commands.update(workflow_steps(steps_of_make(command)))

    targets: dict[tuple[str, ...], set[str]] = {}
    for command in commands.difference(LISTED):
        arguments = snakemake_arguments(command)
        flags: list[str] = []
        if arguments.workflow_profile:
            flags += ["--workflow-profile", arguments.workflow_profile]
        if arguments.configfile:
            flags += ["--configfile", *map(str, arguments.configfile)]
        if arguments.config:
            flags += ["--config", *arguments.config]
        targets_with_flags = targets.setdefault(tuple(flags), set())
        targets_with_flags.update(arguments.targets or {"all"})
    return targets


@pytest.mark.gate
def test_snakemake_has_a_plan_for_every_target(followed: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    key_of_judge = {"MY_KEY": "of the judge in the documents"}
    environment = os.environ | PLANTED_KEYS | key_of_judge | {"PATH": path}
    for flags, targets in targets_by_flags().items():
        dry_run = [sys.executable, "-m", "snakemake", *sorted(targets), "-n", "--cores", "1"]
        dry_run += flags
        run = subprocess.run(dry_run, cwd=followed, env=environment, capture_output=True, text=True)
        printed = run.stdout[-3000:] + run.stderr[-3000:]
        assert run.returncode == 0, f"{shlex.join(dry_run)}\n{printed}"


@pytest.mark.gate
def test_the_documents_give_the_number_of_jobs_of_the_default_run(tmp_path: Path) -> None:
    (tmp_path / "fresh").mkdir()
    command = [sys.executable, "-m", "snakemake", "-n", "--quiet", "rules"]
    command += ["--cores", "1", "--resources", "gpu=1"]
    run = subprocess.run(
        command,
        cwd=copy_of_the_tree(tmp_path / "fresh"),
        capture_output=True,
        text=True,
        check=True,
    )
    # Snakemake prints its table of jobs twice.
    (n_jobs,) = set(re.findall(r"^total +(\d+)$", run.stdout, re.MULTILINE))

    assert f"runs {n_jobs} jobs." in TEXTS["docs/running.md"]
