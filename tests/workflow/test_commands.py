"""Every command of the documents is checked here, run by the gate,
or listed in docs/ci.md with the reason why not.
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
    CI,
    GATE,
    LISTED,
    LISTED_IN,
    command,
    in_blocks,
)
from tests.workflow.recipes import FIGURE, FILES, follow

DOCUMENTS = [
    REPOSITORY / "README.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "SECURITY.md",
    *sorted(REPOSITORY.glob("docs/**/*.md")),
    *sorted(REPOSITORY.glob("tests/**/*.md")),
]
CHECKED = ("snakemake", "make", "mechaware", "python")


def in_sentences(text: str) -> list[str]:
    """The commands in the sentences of a Markdown text."""
    commands = []
    for code in re.findall(r"`([^`]+)`", BLOCK.sub("", text)):
        words = " ".join(code.split())
        if words.startswith(BEGINNINGS):
            commands.append(command(words))
    return commands


def unaccounted(found: Iterable[str], gate: Iterable[str], listed: Iterable[str]) -> set[str]:
    """The commands that nothing checks or runs and that are not listed,
    not even as the beginning of a listed one.
    """
    missing = set()
    for line in found:
        program = line.split()[0]
        is_listed = any(known.startswith(line) for known in listed)
        if program not in CHECKED and line not in gate and not is_listed:
            missing.add(line)
    return missing


def commands_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Every command with the last document that prints it."""
    found = {}
    for name, text in texts.items():
        for line in (*in_blocks(text), *in_sentences(text)):
            found[line] = name
    return found


# By their paths; docs/ci.md without its list of commands that no test runs.
TEXTS = {
    str(path.relative_to(REPOSITORY)): CI if path.name == "ci.md" else path.read_text()
    for path in DOCUMENTS
}
FOUND = commands_of(TEXTS)


def those_of(program: str) -> list[str]:
    """The commands of a program in all documents."""
    return sorted(line for line in FOUND if line.split()[0] == program)


def steps_of_make(line: str) -> list[str]:
    """What `make` would run, without its own messages."""
    run = subprocess.run(
        ["make", "-n", *shlex.split(line)[1:]],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return [step for step in run.stdout.splitlines() if not re.match(r"make(\[\d+\])?: ", step)]


def workflow_steps(steps: list[str]) -> list[str]:
    """Those of the steps that start Snakemake, without the environment before them."""
    return _ends_of(steps, r"(?<= )snakemake .*")


def module_steps(steps: list[str]) -> list[str]:
    """Those of the steps that start a module of this repository,
    without the environment before them.
    """
    return _ends_of(steps, r"(?<= )python -m (?:scripts|benchmarks)\..*")


def _ends_of(steps: list[str], pattern: str) -> list[str]:
    ends = []
    for step in steps:
        found = re.search(pattern, step)
        if found:
            ends.append(found[0])
    return ends


def unchecked(steps: Iterable[str], run: Collection[str]) -> list[str]:
    """The steps of a `make` command that are not among those `run`, and of which no plan or flag is
    checked.

    Of a benchmark only its name is checked: what it does stays unchecked.
    """
    checked = re.compile(r" (snakemake|python -m scripts\.\w+) ?")
    return [step for step in steps if step not in run and not checked.search(step)]


def test_every_command_is_checked_here_run_by_the_gate_or_listed_with_a_reason() -> None:
    missing = {f"{FOUND[line]}: {line}" for line in unaccounted(FOUND, GATE, LISTED)}
    assert not missing, f"list them in docs/ci.md, {LISTED_IN}, or test them"


def test_a_make_command_with_a_step_that_nothing_runs_or_checks_is_listed_with_a_reason() -> None:
    run: set[str] = set()
    for line in GATE:
        if line.startswith("make "):
            run.update(steps_of_make(line))
    assert run

    (targets,) = re.findall(r"^\.PHONY: (.*)$", (REPOSITORY / "Makefile").read_text(), re.M)
    # Also those that no document prints.
    of_makefile = {f"make {target}" for target in targets.split()}
    lines = of_makefile.union(those_of("make")).difference(LISTED)
    missing = {line for line in lines if unchecked(steps_of_make(line), run)}

    assert not missing, f"list them in docs/ci.md, {LISTED_IN}"


def test_every_listed_command_is_in_a_document() -> None:
    assert LISTED
    assert not set(LISTED) - FOUND.keys()


@pytest.mark.parametrize("line", those_of("snakemake"), ids=str)
def test_snakemake_knows_the_flags_and_the_profile(line: str) -> None:
    check_flags(line)


def test_snakemake_is_told_how_many_cores_wherever_a_block_starts_a_run() -> None:
    for text in TEXTS.values():
        for line in in_blocks(text):
            if line.startswith("snakemake "):
                arguments = snakemake_arguments(line)
                assert arguments.cores or arguments.dryrun or arguments.report, line


@pytest.mark.parametrize("line", those_of("python"), ids=str)
def test_a_module_is_there_and_knows_its_flags(line: str) -> None:
    check_module(line)


@pytest.mark.parametrize("line", those_of("make"), ids=str)
def test_make_has_the_target_reads_the_variables_and_its_steps_are_commands(line: str) -> None:
    steps = steps_of_make(line)
    for word in shlex.split(line):
        name, given, _value = word.partition("=")
        if given:  # the Makefile's default may be the same
            marked = steps_of_make(line.replace(word, f"{name}=ANOTHER"))
            assert any("ANOTHER" in step for step in marked), f"no step reads {word}"
    for step in workflow_steps(steps):
        check_flags(step)
    for step in module_steps(steps):
        check_module(step)


@pytest.mark.parametrize("line", those_of("mechaware"), ids=str)
def test_the_command_of_ones_own_folder_knows_the_verb_and_its_arguments(line: str) -> None:
    _mechaware, verb, *arguments = shlex.split(line)
    if verb == "run":
        check_flags(shlex.join(["snakemake", *arguments]))
        return
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if own or verb == "demo":
        assert command_line().parse_args([verb, *own]).verb == verb
    else:  # in a sentence, the name of a verb
        with pytest.raises(SystemExit) as ended:
            command_line().parse_args([verb, "--help"])
        assert ended.value.code == 0


def snakemake_arguments(line: str) -> argparse.Namespace:
    """The arguments as Snakemake reads them; it ends the process at a flag
    that it does not know.
    """
    from snakemake.cli import parse_args  # takes a second: not while tests are collected

    with contextlib.chdir(REPOSITORY):
        return parse_args(shlex.split(line)[1:])[1]


def check_flags(line: str) -> None:
    """Snakemake knows the flags of a command, and its profile is there."""
    profile = snakemake_arguments(line).workflow_profile
    # Snakemake goes on without one that is not there.
    assert profile is None or (REPOSITORY / profile).exists()


def check_module(line: str) -> None:
    """The module of `python -m MODULE` can be run, and knows the arguments."""
    _python, _m, module, *arguments = shlex.split(line)
    path = REPOSITORY / module.replace(".", "/")
    is_package = path.is_dir()
    source = (path / "__main__.py" if is_package else path.with_suffix(".py")).read_text()
    assert 'if __name__ == "__main__":' in source
    if not arguments:
        return
    if is_package:  # of the library, which does without tyro
        importlib.import_module(f"{module}.__main__").command_line().parse_args(arguments)
    elif module.startswith(("benchmarks.", "tests.")) and "tyro.cli(main)" not in source:
        assert "sys.argv" in source
    else:
        check_arguments(importlib.import_module(module).main, arguments)


def check_arguments(main: Callable[..., object], arguments: list[str]) -> None:
    """Read them as the command does, and run nothing."""

    @functools.wraps(main)
    def read(**_values: object) -> None:
        pass

    code: object = None
    try:
        tyro.cli(read, args=arguments)
    except SystemExit as end:  # after --help as well
        code = end.code
    assert not code, arguments


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh copy in which a reader has followed the documents:
    own paper, judge, benchmark, SQL data and figure.
    """
    folder = copy_of_the_tree(tmp_path_factory.mktemp("followed"))
    text = "".join(TEXTS.values())
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
    # JSON is YAML 1.2. PyYAML would write the revision 98769e6 without quotes, which in YAML 1.2 is
    # a number.
    (folder / "config/config.yaml").write_text(json.dumps(config))

    # Figure.
    for path, text_of_recipe in FILES.items():
        if FIGURE in path or FIGURE in text_of_recipe:
            follow(path, folder)
    return folder


def plans() -> dict[tuple[str, ...], set[str]]:
    """The targets of the documents' commands, by the flags that change the plan:
    a dry run serves several commands.
    """
    lines = set(those_of("snakemake"))
    for line in set(those_of("make")).difference(LISTED):
        lines.update(workflow_steps(steps_of_make(line)))

    targets: dict[tuple[str, ...], set[str]] = {}
    for line in lines.difference(LISTED):
        arguments = snakemake_arguments(line)
        flags: list[str] = []
        if arguments.workflow_profile:
            flags += ["--workflow-profile", arguments.workflow_profile]
        if arguments.configfile:
            flags += ["--configfile", *map(str, arguments.configfile)]
        if arguments.config:
            flags += ["--config", *arguments.config]
        of_flags = targets.setdefault(tuple(flags), set())
        of_flags.update(arguments.targets or {"all"})
    return targets


@pytest.mark.gate
def test_snakemake_has_a_plan_for_every_target(followed: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for flags, targets in plans().items():
        given = [sys.executable, "-m", "snakemake", *sorted(targets), "-n", "--cores", "1", *flags]
        of_judge = {"MY_KEY": "of the judge in the documents"}
        environment = os.environ | PLANTED_KEYS | of_judge | {"PATH": path}
        run = subprocess.run(given, cwd=followed, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, f"{shlex.join(given)}\n{run.stdout[-3000:]}{run.stderr[-3000:]}"


@pytest.mark.gate
def test_the_documents_say_how_many_jobs_the_default_run_has(tmp_path: Path) -> None:
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
    # The table is printed twice.
    (jobs,) = set(re.findall(r"^total +(\d+)$", run.stdout, re.MULTILINE))

    assert f"runs {jobs} jobs." in TEXTS["docs/running.md"]
