"""The command from the wheel alone, in a fresh environment and a user's folder.

It answers about a paper, and a dry run of every verb plans the jobs that it should.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.checkout import REPOSITORY, copy_of_the_tree
from tests.doors.reader import blocks_of
from tests.workflow.lent_packages import lend, packages_asked_for
from tests.workflow.printed_commands import commands_in_blocks

PAPER = (
    "Abstract\n"
    "We show that head 3.1 moves the subject to the verb. Ablating it lowers accuracy by 40%.\n"
)
DETECTOR = (
    "from mechaware.instruments.radar.detectors.detector import Detector\n"
    "MINE = Detector('mine', 'mine', 'ours', (), lambda evidence, seed: None)\n"
)
# The README's block is an installation, `mechaware demo` and `mechaware seen`.
(README,) = blocks_of("README.md")
INSTALL, DEMO, SEEN = commands_in_blocks(f"```sh\n{README}```\n")
# By verb with its arguments: rules that its dry run plans in a folder without results.
PLANS = {
    DEMO.removeprefix("mechaware "): ["train_twins", "convert_gguf"],
    SEEN.removeprefix("mechaware "): ["link_local_model", "measure_suspected", "reach_verdict"],
    "seen mine/items.csv --control mine/control.csv --model smollm2-135m-instruct --question q": [
        "measure_suspected",
        "reach_verdict",
        "rank_detectors",
    ],
    "reads pairs.csv --model smollm2-135m-instruct": ["patch_task"],
    "reads passages.jsonl --model smollm2-135m-instruct": ["exchange_passages"],
    "paper my.txt --rubric rubric.yaml --judge ollama/llama3.2": [
        "judge_by_rubric_by_provider",
        "report_by_rubric",
        "list_passages",
    ],
    "judge labels.csv --rubric rubric.yaml --judge ollama/llama3.2": [
        "plan_items",
        "judge_items_by_provider",
        "draw_judge_card",
    ],
    "card my_package.MINE": ["score_twins_by_own", "draw_cards"],
    # The card keeps its detector and its study under a config that has neither.
    "card my_package.MINE --configfile other.yaml": ["score_twins_by_own", "draw_cards"],
}


@pytest.fixture(scope="module")
def mechaware(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the command, installed from the wheel into an environment of its own.

    The environment has the packages that the wheel requires. They are not installed: this
    environment lends them.
    """
    clone = copy_of_the_tree(tmp_path_factory.mktemp("clone"))
    environment = tmp_path_factory.mktemp("environment")
    wheels = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    # As `make wheel` does, but with this environment's setuptools, or pip would download another.
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, "."]
    subprocess.run(build, cwd=clone, check=True)
    shutil.rmtree(clone)
    (wheel,) = wheels.iterdir()

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    into = [*pip, "--python", environment / "bin/python"]
    subprocess.run([*into, "install", "--no-deps", "--no-index", wheel], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (library,) = distributions(name="mechaware", path=[str(site)])
    (extra,) = re.findall(r"^pip install '\.\[(\w+)\]'$", INSTALL)
    for package in packages_asked_for(library, extra):
        lend(package, site)
    return environment / "bin/mechaware"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with input for every verb.

    Its file random.py would be imported in place of Python's module if the folder were searched
    first.
    """
    folder = tmp_path_factory.mktemp("a user's folder")
    (folder / "my.txt").write_text(PAPER)
    (folder / "random.py").write_text("raise SystemExit('imported')\n")
    (folder / "other.yaml").write_text("studies: [claims]\nradar: {detectors: []}\n")
    (folder / "my_package").mkdir()
    (folder / "my_package/__init__.py").write_text(DETECTOR)
    (folder / "mine").mkdir()
    for name, example in (("items", "benchmark_seen"), ("control", "control")):
        text = (REPOSITORY / f"examples/{example}.csv").read_text()
        (folder / f"{name}.csv").write_text(text)
        (folder / f"mine/{name}.csv").write_text(text.replace("id,question,", "id,q,", 1))

    model = folder / "my-model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama"}')
    for name in ("tokenizer.json", "model.safetensors"):
        (model / name).touch()

    for name, example in (
        ("pairs.csv", "ioi.csv"),
        ("passages.jsonl", "passages.jsonl"),
        ("labels.csv", "review_items.csv"),
        ("rubric.yaml", "review_rubric.yaml"),
    ):
        shutil.copy(REPOSITORY / "examples" / example, folder / name)
    return folder


def run_command(mechaware: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the folder, as a user does who has not activated its environment."""
    environment = {"PATH": os.defpath, "HOME": str(folder.parent)}
    return subprocess.run(
        [mechaware, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.gate
def test_a_paper_is_answered_from_the_wheel_alone_and_its_record_names_the_version(
    mechaware: Path, folder: Path
) -> None:
    run = run_command(mechaware, folder, "paper", "my.txt", "--json")
    # The code 4: without a judge there are passages to read, and no verdict.
    assert run.returncode == 4, run.stderr

    answer = json.loads(run.stdout)
    assert answer["judged_by"] is None
    assert answer["page"] == "mechaware-results/results/claims/reading/my/index.html"
    assert "head 3.1" in (folder / answer["page"]).read_text()

    record = json.loads(
        (folder / "mechaware-results/results/claims/reading/my.provenance.json").read_text()
    )
    assert record["git"] == {
        "commit": None,
        "modified": None,
        "reason": "mechaware 0.1.0 as installed",
    }
    # Snakemake's own progress.
    assert re.search(r"^1 of \d steps", run.stderr, re.M)

    # The second call reuses the results. Without --json it prints the answer and the page.
    again = run_command(mechaware, folder, "paper", "my.txt")
    assert again.stdout == f"{answer['answer']}; open {answer['page']}\n"
    assert "list_passages" in run.stderr
    assert "list_passages" not in again.stderr


@pytest.mark.gate
@pytest.mark.parametrize("verb", PLANS)
def test_every_verb_has_a_plan_in_a_folder_of_the_user(
    mechaware: Path, folder: Path, verb: str
) -> None:
    run = run_command(mechaware, folder, *verb.split(), "--", "-n")
    assert run.returncode == 0, run.stderr

    for rule in PLANS[verb]:
        assert re.search(rf"^{rule} +\d+$", run.stdout, re.M), run.stdout


@pytest.mark.gate
def test_run_is_snakemake_with_a_model_of_ones_own_folder(mechaware: Path, folder: Path) -> None:
    (folder / "my.yaml").write_text(
        "models: {mine: {kind: local, label: Mine, folder: my-model}}\nradar: {models: [mine]}\n"
    )
    run = run_command(
        mechaware, folder, "run", "results/models/mine", "-n", "--configfile", "my.yaml"
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert "../my-model/model.safetensors" in run.stdout
    # Beside the user's own files there are the results alone.
    assert {path.name for path in folder.iterdir()} == {
        "mechaware-results",
        "my.txt",
        "my.yaml",
        "other.yaml",
        "random.py",
        "my-model",
        "my_package",
        "mine",
        "items.csv",
        "control.csv",
        "pairs.csv",
        "passages.jsonl",
        "labels.csv",
        "rubric.yaml",
    }
