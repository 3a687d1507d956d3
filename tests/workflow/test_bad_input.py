"""A user's faulty input is refused in one line: what is wrong, where, and what to do instead."""

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from exhibits.report.results import config_schema, find_results
from mechaware.core.errors import UserError
from mechaware.doors.checks.config import check_config
from tests.checkout import Checkout

CASES = yaml.safe_load((Path(__file__).parent / "bad_input.yaml").read_text())
# A config without a fault, for tests whose fault is in another file.
VALID = "seed: 3"


@functools.cache
def declared_schema(repository: Path) -> dict[str, Any]:
    """The schema of a config, read once for all cases."""
    return config_schema(repository, find_results(repository))


def output_of_refused_run(checkout: Checkout, tmp_path: Path, config: str) -> str:
    """All that a refused dry run prints, with `config` on top of the small run's config."""
    more = tmp_path / "more.yaml"
    more.write_text(config)

    run = checkout.snakemake("-n", more=more, check=False)

    assert run.returncode != 0
    # A dry run also writes to standard output.
    output = run.stdout + run.stderr
    assert "Traceback" not in output
    return output


def refusal(checkout: Checkout, config: str = "{}") -> str:
    """The message that refuses the small run's config with `config` on top of it.

    The small run's config is config/config.yaml with config/test.yaml on top. The check is the one
    that Snakemake makes as it starts; Snakemake is not started.
    """
    merged: dict[str, Any] = {}
    for name in ("config", "test"):
        text = (checkout.folder / f"config/{name}.yaml").read_text()
        update_config(merged, yaml.safe_load(text))
    update_config(merged, yaml.safe_load(config))

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(checkout.folder)
        with pytest.raises(UserError) as caught:
            check_config(merged, declared_schema(checkout.folder), checkout.folder)
    return str(caught.value)


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """Inside the context the file has another text; afterwards its own again."""
    kept = path.read_bytes()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_bytes(kept)


@pytest.mark.parametrize("quiet", ["rules", "all"])
def test_a_quiet_run_names_the_log_of_a_failed_command_and_its_last_line(
    checkout: Checkout, tmp_path: Path, quiet: str
) -> None:
    """A quiet run does not show Snakemake's own lines on a failed job."""
    target = "results/tables/claims_implied.csv"
    options = ["--cores=1", f"--directory={tmp_path}", f"--quiet={quiet}"]

    # The table without its other columns.
    with changed(checkout.folder / "config/reported/claims_main.csv", "paper\nx\n"):
        run = checkout.snakemake(target, *options, check=False)

    assert run.returncode == 1
    assert "logs/claims/claims_implied.log: KeyError: 'tier'" in run.stderr.splitlines()


@pytest.mark.parametrize(
    ("file", "line"), [("test.yaml", "seeed: 3"), ("papers.csv", "mine,ftp,ftp://x/y.pdf,T,,")]
)
def test_snakemake_prints_the_refusal_of_a_file_in_one_line(
    checkout: Checkout, tmp_path: Path, file: str, line: str
) -> None:
    """Snakemake is started for one faulty config and one faulty list.

    Most tests below do not start it: they read the message of the check itself (`refusal`).
    """
    path = checkout.folder / "config" / file

    with changed(path, f"{path.read_text()}{line}\n"):
        message = refusal(checkout)
        output = output_of_refused_run(checkout, tmp_path, VALID)

    assert "\n" not in message

    lines_with_message = [printed for printed in output.splitlines() if message in printed]
    assert len(lines_with_message) == 1, output


def test_a_key_twice_in_a_config_of_the_user_is_refused_in_one_line(
    checkout: Checkout, tmp_path: Path
) -> None:
    output = output_of_refused_run(
        checkout, tmp_path, "radar: {folds: 3}\nseed: 3\nradar: {folds: 4}\n"
    )

    message = (
        f"{tmp_path}/more.yaml, line 3: key 'radar' appears twice, first on line 1; remove one"
    )
    assert message in output.splitlines()


def test_numbers_and_braces_are_read_as_yaml_in_a_file_and_on_the_command_line(
    checkout: Checkout, tmp_path: Path
) -> None:
    """By itself, Snakemake reads `1e-3` as text and `010` as 8; on the command line it also reads
    values in braces as text.

    Here `1e-3` and `{folds: 4}` hold numbers, and `010` is refused.
    """
    more = tmp_path / "more.yaml"
    more.write_text("grounding: {training: {learning_rate: 1e-3}}\nradar: {folds: 3}\n")
    plan = ("radar", "grounding", "--dry-run", "--printshellcmds")
    on_command_line = ("--config", "radar={folds: 4}", "claims={leak_audit: false}")

    planned = checkout.snakemake(*plan, *on_command_line, more=more).stdout
    output = output_of_refused_run(checkout, tmp_path, "seed: 010")

    assert "--learning-rate=0.001 " in planned
    assert "--folds=4 " in planned
    assert "--folds=3 " not in planned
    assert "config, seed: '010'; write a whole number in decimal digits" in output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seed: 3", ": key 'seed' appears twice, first on line "),
        ("radar: }", ": not YAML (expected the node content, but found '}'); correct the line"),
    ],
    ids=["twice", "broken"],
)
def test_a_fault_in_the_main_config_is_refused_with_its_line(
    checkout: Checkout, tmp_path: Path, line: str, message: str
) -> None:
    """Snakemake's own message for broken YAML has no line, and Snakemake accepts a key twice."""
    path = checkout.folder / "config/config.yaml"
    kept = path.read_text()
    number = kept.count("\n") + 1

    with changed(path, f"{kept}{line}\n"):
        output = output_of_refused_run(checkout, tmp_path, VALID)

    expected = rf"^config/config\.yaml, line {number}\b{re.escape(message)}"
    assert re.search(expected, output, re.M), output


@pytest.mark.parametrize("case", CASES["configs"], ids=lambda case: str(case["config"]))
def test_a_config_that_cannot_be_used_is_refused_in_one_line(
    checkout: Checkout, case: dict[str, Any]
) -> None:
    message = refusal(checkout, yaml.safe_dump(case["config"]))

    assert case["says"] in message
    assert "\n" not in message


# More cases of papers.csv are in tests/unit/instruments/claims/fetching/test_papers.py.
@pytest.mark.parametrize("case", CASES["listed"], ids=lambda case: case["line"])
def test_a_bad_entry_of_a_list_is_refused_in_one_line(
    checkout: Checkout, case: dict[str, Any]
) -> None:
    path = checkout.folder / "config" / case["file"]
    config = yaml.safe_dump(case.get("config", {}))

    with changed(path, f"{path.read_text()}{case['line']}\n"):
        message = refusal(checkout, config)

    assert case["says"] in message
    assert "\n" not in message


@pytest.mark.gate
def test_a_paper_that_is_not_to_be_had_fails_alone_and_names_itself(
    checkout: Checkout, tmp_path: Path
) -> None:
    """Two of four papers cannot be had.

    - near: at a private address, which is refused
    - fine: a web page
    - prose: no PDF in spite of its name; that is no error, but its text is empty
    - gone: a file that does not exist
    """
    path = checkout.folder / "config/papers.csv"
    fine = tmp_path / "fine.html"
    prose = tmp_path / "prose.pdf"
    gone = tmp_path / "gone.pdf"
    paragraphs = "<p>Head 3.1 moves the subject to the verb.</p>" * 30
    fine.write_text(f"<html><body><article>{paragraphs}</article></body>")
    prose.write_text("This is no PDF.")
    rows = (
        "near,pdf,http://127.0.0.1:1/x.pdf,Near,,\n"
        f"fine,file,{fine},Fine,,\n"
        f"prose,file,{prose},Prose,,\n"
        f"gone,file,{gone},,,\n"
    )
    texts = [f"results/claims/papers/{name}/text.txt" for name in ("near", "fine", "prose", "gone")]

    with changed(path, path.read_text() + rows):
        run = checkout.snakemake("--cores", "1", "--keep-going", *texts, check=False)

    assert run.returncode != 0

    errors = set()
    for line in run.stderr.splitlines():
        if line.strip().startswith("error: "):
            errors.add(line.strip())
    (error_of_near,) = [error for error in errors if "127.0.0.1" in error]
    (error_of_gone,) = [error for error in errors if str(tmp_path) in error]

    assert len(errors) == 2
    assert error_of_near.startswith("error: http://127.0.0.1:1/x.pdf: ")
    assert "allow_private_addresses" in error_of_near
    assert error_of_gone.startswith(f"error: {gone}: no such file")

    text_of_near, text_of_fine, text_of_prose, text_of_gone = texts
    assert "Head 3.1 moves" in (checkout.folder / text_of_fine).read_text()
    assert (checkout.folder / text_of_prose).read_text() == ""
    assert not (checkout.folder / text_of_near).exists()
    assert not (checkout.folder / text_of_gone).exists()


def refusal_of_local_model(checkout: Checkout, folder: Path, config: str) -> str:
    """The message for a config that uses the model `mine`, whose weights are in `folder`."""
    path = checkout.folder / "config/models.yaml"
    entry = f"mine: {{kind: local, label: Mine, folder: {folder}}}"
    with changed(path, f"{path.read_text()}\n{entry}\n"):
        return refusal(checkout, config)


# More cases of folders are in tests/unit/models/sources/test_local_folder.py.
@pytest.mark.parametrize("config", ["radar: {models: [mine]}", "grounding: {base: mine}"])
def test_a_local_folder_that_does_not_exist_is_refused_wherever_the_config_uses_it(
    checkout: Checkout, tmp_path: Path, config: str
) -> None:
    folder = tmp_path / "model"

    message = refusal_of_local_model(checkout, folder, config)

    expected = f"no folder {folder} (from {checkout.folder}); correct the path"
    assert message.startswith(f"config/models.yaml, mine/folder: {expected}")
    assert "\n" not in message


@pytest.mark.parametrize(
    "config",
    [
        "radar: {memorisation: {pretrained: {models: [mine]}}}",
        "grounding: {pretrained: {models: [mine]}}",
    ],
)
def test_a_local_folder_without_a_model_is_refused_wherever_the_config_uses_it(
    checkout: Checkout, tmp_path: Path, config: str
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()

    message = refusal_of_local_model(checkout, folder, config)

    expected = f"{folder}: no config.json; give the folder that `save_pretrained` wrote"
    assert message.startswith(f"config/models.yaml, mine/folder: {expected}")
    assert "\n" not in message


KEYLESS = "keyless: {kind: provider, label: Keyless, model: openai/m, api_key_env: UNSET_KEY}"


def test_a_judge_without_its_key_ends_a_dry_run_in_one_line_if_a_target_asks_it(
    checkout: Checkout, tmp_path: Path
) -> None:
    """A run whose targets use neither the judge nor a folder without a model is planned."""
    config = "claims: {judges: [lexical, keyless]}"
    more = tmp_path / "used.yaml"
    more.write_text(config)
    judges = checkout.folder / "config/judges.yaml"
    models = checkout.folder / "config/models.yaml"
    unused = "empty: {kind: local, label: Empty, folder: config}"

    with (
        changed(judges, f"{judges.read_text()}\n{KEYLESS}\n"),
        changed(models, f"{models.read_text()}\n{unused}\n"),
    ):
        output = output_of_refused_run(checkout, tmp_path, config)
        checkout.snakemake("radar", "grounding", "-n", more=more)

    message = (
        "error: judge keyless: no key; "
        "set the environment variable UNSET_KEY (config/judges.yaml names it)"
    )
    assert output.splitlines().count(message) == 1, output


ITEMS = """\
id,question,answer,seen
a,What is a?,It.,True
b,What is b?,It.,True
c,What is c?,It.,True
d,What is d?,It.,False
e,What is e?,It.,False
f,What is f?,It.,False
"""


def suspected(folder: Path, **files: str) -> str:
    """A config with a suspected benchmark; writes its `files`, by config key, into `folder`."""
    for key, text in files.items():
        (folder / key).write_text(text)
    entry = {"model": "gpt2"} | {key: str(folder / key) for key in files}
    return yaml.safe_dump({"radar": {"suspected": {"scores": entry}}})


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param(
            {"items": "id,question\n"},
            "/items, row 1: no column 'answer' in 'id,question'; "
            "write question,answer, separated by commas",
            id="items without answers",
        ),
        pytest.param(
            {"items": ITEMS, "unseen": "text\nWhat is b? It.\n"},
            "/items, row 3: also a text of ",
            id="an item among the unseen texts",
        ),
        pytest.param(
            {"items": ITEMS, "corpus": "\n"},
            "/corpus: no text; write one text a line",
            id="an empty corpus",
        ),
        pytest.param(
            {"items": ITEMS, "control": ITEMS},
            "/control, row 2: also an item of ",
            id="an item as its own control",
        ),
        pytest.param(
            {"items": ITEMS, "control": "id,question,answer\ng,What is g?,It.\n"},
            "/control: 1 items; give 2 or more",
            id="one control",
        ),
    ],
)
def test_a_suspected_benchmark_that_cannot_be_used_is_refused_before_anything_runs(
    checkout: Checkout, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    config = suspected(tmp_path, **files)

    printed = refusal(checkout, config)

    assert f"{tmp_path}{message}" in printed
    assert "\n" not in printed
