"""What a user sees who got something wrong: one line that says what, where and what to do."""

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
from mechaware.doors.checks import checked_lists
from tests.conftest import Checkout

CASES = yaml.safe_load((Path(__file__).parent / "bad_input.yaml").read_text())


@functools.cache
def declared_schema(repository: Path) -> dict[str, Any]:
    """The schema of a config, read once for all cases."""
    return config_schema(repository, find_results(repository))


def refused(checkout: Checkout, tmp_path: Path, config: str) -> str:
    """The message of a dry run with `config` on top."""
    more = tmp_path / "more.yaml"
    more.write_text(config)
    run = checkout.snakemake("-n", more=more, check=False)
    assert run.returncode != 0
    said = run.stdout + run.stderr  # a dry run speaks on standard output
    assert "Traceback" not in said
    return said


def refusal(checkout: Checkout, config: str = "{}") -> str:
    """The message with `config` on top of the small run's, from the check that Snakemake's start makes."""
    merged: dict[str, Any] = {}
    for text in (
        *((checkout.folder / f"config/{name}.yaml").read_text() for name in ("config", "test")),
        config,
    ):
        update_config(merged, yaml.safe_load(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(checkout.folder)
        with pytest.raises(UserError) as caught:
            checked_lists(merged, declared_schema(checkout.folder), checkout.folder)
    return str(caught.value)


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """The file with another text, for a while."""
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
    """Snakemake's own lines on a failed job are not shown then."""
    arguments = (
        "results/tables/claims_implied.csv",
        "--cores",
        "1",
        "--directory",
        str(tmp_path),
        "--quiet",
        quiet,
    )
    # Without its other columns.
    with changed(checkout.folder / "config/reported/claims_main.csv", "paper\nx\n"):
        run = checkout.snakemake(*arguments, check=False)
    assert run.returncode == 1
    assert "logs/claims/claims_implied.log: KeyError: 'tier'" in run.stderr.splitlines()


@pytest.mark.parametrize(
    ("file", "line"), [("test.yaml", "seeed: 3"), ("papers.csv", "mine,ftp,ftp://x/y.pdf,T,,")]
)
def test_snakemake_says_the_refusal_of_a_file_in_one_line(
    checkout: Checkout, tmp_path: Path, file: str, line: str
) -> None:
    """One start for a config and one for a list; the tests below read what the check itself says."""
    path = checkout.folder / "config" / file
    with changed(path, f"{path.read_text()}{line}\n"):
        message, said = refusal(checkout), refused(checkout, tmp_path, "seed: 3")
    assert "\n" not in message
    assert len([told for told in said.splitlines() if message in told]) == 1, said


def test_a_key_twice_in_a_config_of_the_user_is_refused_in_one_line(
    checkout: Checkout, tmp_path: Path
) -> None:
    said = refused(checkout, tmp_path, "radar: {folds: 3}\nseed: 3\nradar: {folds: 4}\n")
    message = (
        f"{tmp_path}/more.yaml, line 3: key 'radar' appears twice, first on line 1; remove one"
    )
    assert message in said.splitlines()


def test_numbers_are_read_alike_in_a_file_and_on_the_command_line(
    checkout: Checkout, tmp_path: Path
) -> None:
    """`1e-3` and `010` are another value to Snakemake's reader, and values in braces on the command line are text."""
    more = tmp_path / "more.yaml"
    more.write_text("grounding: {training: {learning_rate: 1e-3}}\nradar: {folds: 3}\n")
    options = ("--config", "radar={folds: 4}", "claims={leak_audit: false}")
    planned = checkout.snakemake(
        "radar", "grounding", "--dry-run", "--printshellcmds", *options, more=more
    ).stdout
    assert "--learning-rate=0.001 " in planned
    assert "--folds=4 " in planned
    assert "--folds=3 " not in planned
    assert "config, seed: '010'; write a whole number in decimal digits" in refused(
        checkout, tmp_path, "seed: 010"
    )


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
    """Snakemake's own message for YAML that it cannot read has no line, and a key twice does not trouble it."""
    path = checkout.folder / "config/config.yaml"
    kept = path.read_text()
    with changed(path, f"{kept}{line}\n"):
        said = refused(checkout, tmp_path, "seed: 3")
    assert re.search(
        rf"^config/config\.yaml, line {kept.count(chr(10)) + 1}\b{re.escape(message)}", said, re.M
    ), said


@pytest.mark.parametrize("case", CASES["configs"], ids=lambda case: str(case["config"]))
def test_a_config_that_cannot_be_used_is_refused_in_one_line(
    checkout: Checkout, case: dict[str, Any]
) -> None:
    said = refusal(checkout, yaml.safe_dump(case["config"]))
    assert case["says"] in said
    assert "\n" not in said


# What else is refused of a row of papers.csv: tests/unit/instruments/claims/fetching/test_papers.py.
@pytest.mark.parametrize("case", CASES["listed"], ids=lambda case: case["line"])
def test_a_bad_entry_of_a_list_is_refused_in_one_line(
    checkout: Checkout, case: dict[str, Any]
) -> None:
    path = (
        checkout.folder
        / "config"
        / {"papers": "papers.csv"}.get(case["list"], f"{case['list']}.yaml")
    )
    with changed(path, f"{path.read_text()}{case['line']}\n"):
        said = refusal(checkout, yaml.safe_dump(case.get("config", {})))
    assert case["says"] in said
    assert "\n" not in said


@pytest.mark.gate
def test_a_paper_that_is_not_to_be_had_fails_alone_and_names_itself(
    checkout: Checkout, tmp_path: Path
) -> None:
    """Of four papers one is at an address that is refused, one is gone, one is no PDF and one is fine."""
    path = checkout.folder / "config/papers.csv"
    kept = path.read_text()
    fine, prose = tmp_path / "fine.html", tmp_path / "prose.pdf"
    fine.write_text(
        f"<html><body><article>{'<p>Head 3.1 moves the subject to the verb.</p>' * 30}</article></body>"
    )
    prose.write_text("This is no PDF.")
    rows = f"near,pdf,http://127.0.0.1:1/x.pdf,Near,,\nfine,file,{fine},Fine,,\nprose,file,{prose},Prose,,\n"
    rows += f"gone,file,{tmp_path / 'gone.pdf'},,,\n"
    path.write_text(kept + rows)
    texts = [f"results/claims/papers/{name}/text.txt" for name in ("near", "fine", "prose", "gone")]
    try:
        run = checkout.snakemake("--cores", "1", "--keep-going", *texts, check=False)
        assert run.returncode != 0
        errors = {
            line.strip() for line in run.stderr.splitlines() if line.strip().startswith("error: ")
        }
        near, gone = sorted(errors, key=lambda line: str(tmp_path) in line)
        assert near.startswith("error: http://127.0.0.1:1/x.pdf: ")
        assert "allow_private_addresses" in near
        assert gone.startswith(f"error: {tmp_path / 'gone.pdf'}: no such file")
        assert "Head 3.1 moves" in (checkout.folder / texts[1]).read_text()
        assert not (checkout.folder / texts[0]).exists()
    finally:
        path.write_text(kept)


@pytest.mark.parametrize(
    ("config", "there"),
    [
        ("radar: {models: [mine]}", False),
        ("radar: {memorisation: {pretrained: {models: [mine]}}}", True),
        ("grounding: {base: mine}", False),
        ("grounding: {pretrained: {models: [mine]}}", True),
    ],
)
def test_a_local_folder_without_a_model_is_refused_wherever_the_config_uses_it(
    checkout: Checkout, tmp_path: Path, config: str, there: bool
) -> None:
    """What else is refused of a folder: tests/unit/models/test_sources.py."""
    folder = tmp_path / "model"
    expected = f"no folder {folder} (from {checkout.folder}); correct the path"
    if there:
        folder.mkdir()
        expected = f"{folder}: no config.json; give the folder that `save_pretrained` wrote"
    path = checkout.folder / "config/models.yaml"
    with changed(
        path, f"{path.read_text()}\nmine: {{kind: local, label: Mine, folder: {folder}}}\n"
    ):
        said = refusal(checkout, config)
    assert said.startswith(f"config/models.yaml, mine/folder: {expected}")
    assert "\n" not in said


KEYLESS = "keyless: {kind: provider, label: Keyless, model: openai/m, api_key_env: UNSET_KEY}"


def test_a_judge_without_its_key_ends_a_dry_run_in_one_line_if_a_target_asks_it(
    checkout: Checkout, tmp_path: Path
) -> None:
    """Models and judges that no target uses may be unusable."""
    config, more = "claims: {judges: [lexical, keyless]}", tmp_path / "used.yaml"
    more.write_text(config)
    judges, models = (checkout.folder / f"config/{name}.yaml" for name in ("judges", "models"))
    unused = "empty: {kind: local, label: Empty, folder: config}"
    with (
        changed(judges, f"{judges.read_text()}\n{KEYLESS}\n"),
        changed(models, f"{models.read_text()}\n{unused}\n"),
    ):
        said = refused(checkout, tmp_path, config)
        assert not list((checkout.folder / ".snakemake").glob("locks/*"))
        checkout.snakemake("radar", "grounding", "-n", more=more)
    message = "error: judge keyless: no key; set the environment variable UNSET_KEY (config/judges.yaml names it)"
    assert said.splitlines().count(message) == 1, said


ITEMS = "id,question,answer,seen\n" + "".join(
    f"{name},What is {name}?,It.,{name < 'd'}\n" for name in "abcdef"
)


def suspected(folder: Path, **files: str) -> str:
    """A config with a suspected benchmark, whose files have these texts and are written into `folder`."""
    for key, text in files.items():
        (folder / key).write_text(text)
    entry = {"model": "gpt2"} | {key: str(folder / key) for key in files}
    return yaml.safe_dump({"radar": {"suspected": {"scores": entry}}})


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"items": "id,question\n"},
            "/items, row 1: no column 'answer' in 'id,question'; "
            "write question,answer, separated by commas",
        ),
        ({"items": ITEMS, "unseen": "text\nWhat is b? It.\n"}, "/items, row 3: also a text of "),
        ({"items": ITEMS, "corpus": "\n"}, "/corpus: no text; write one text a line"),
        ({"items": ITEMS, "control": ITEMS}, "/control, row 2: also an item of "),
        (
            {"items": ITEMS, "control": "id,question,answer\ng,What is g?,It.\n"},
            "/control: 1 items; give 2 or more",
        ),
    ],
)
def test_a_suspected_benchmark_that_cannot_be_used_is_refused_before_anything_runs(
    checkout: Checkout, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    said = refusal(checkout, suspected(tmp_path, **files))
    assert f"{tmp_path}{message}" in said
    assert "\n" not in said
