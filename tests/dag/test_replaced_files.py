"""New content in a user's file reruns what reads the file, even if the file's date is older.

No job is run. The results of the workflow are placeholders, which `snakemake --touch` has recorded
as made.
"""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.checkout import Checkout, copy_of_the_tree

# The first second of the year 2000, in UTC.
OLDER = 946_684_800
# By key in the config, the step that first reads this file of a suspected benchmark.
READERS = {
    "items": "measure_suspected",
    "control": "measure_suspected",
    "unseen": "measure_suspected",
    "seen": "measure_suspected",
    "corpus": "score_suspected",
    "calibration": "reach_verdict",
}
BENCHMARKS = ("same", *(f"other-{key}" for key in READERS), "other-model")
TARGETS = (
    "suspected",
    "pairs",
    "results/grounding/data/train.jsonl",
    "results/claims/same",
    "results/claims/other",
)
# These targets print verdicts, so they are always planned.
ALWAYS = ("suspected", "pairs")
# The content of every placeholder: the keys that a dry run reads in a result of the user's judge.
RECORD = json.dumps({"steps": [{"parameters": {}}], "usage": {}})


def items(subject: str) -> str:
    """A table of eight items about `subject`, of the same form for every subject."""
    lines = ["id,question,answer"]
    for n in range(8):
        question = f"How many stones are in {subject} {n}?"
        lines.append(f"{subject}-{n},{question},There are {7 * n} stones.")
    return "\n".join(lines) + "\n"


def users_files(folder: Path) -> None:
    """Write a file of each kind that a user may bring, in the folders `same` and `other`."""
    error_rates = (folder / "config/calibration/detectors.csv").read_text()
    pairs = (folder / "examples/json_values.csv").read_text()
    contents = {
        "items.csv": items("box"),
        "control.csv": items("bag"),
        "unseen.csv": "text\nA box of stones was never opened.\n",
        "seen.csv": "text\nStones are found in boxes.\n",
        "corpus.csv": "How many stones are in box 2? There are 14 stones.\n",
        "calibration.csv": error_rates,
        "model/config.json": '{"model_type": "gpt2"}\n',
        "model/tokenizer.json": "{}\n",
        # No job loads the weights.
        "model/model.safetensors": "weights\n",
        "pairs.csv": pairs,
        "paper.txt": "We show that head 3.1 moves the subject to the verb.\n",
        # No job imports the rows.
        "sql/train.jsonl": "{}\n",
    }
    for kind in ("same", "other"):
        for name, content in contents.items():
            path = folder / kind / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)


def write_package(folder: Path) -> None:
    """Write the user's package, with a detector, a rule, a judge and a data file.

    No job imports it.
    """
    package = folder / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text("MINE = RULE = JUDGE = None\n")
    (package / "weights.json").write_text('{"weight": 0.25}')


def configure(folder: Path) -> None:
    """Enter the user's files in the lists of the tree, and name them in the config own.yaml.

    The benchmark `same` has its files and its model in the folder `same`. The other benchmarks have
    one of these in the folder `other`: `other-seen` its seen texts, `other-model` its model.
    """
    all_from_same = {key: f"same/{key}.csv" for key in READERS} | {"model": "same"}
    benchmarks = {benchmark: dict(all_from_same) for benchmark in BENCHMARKS}
    for key in READERS:
        benchmarks[f"other-{key}"][key] = f"other/{key}.csv"
    benchmarks["other-model"]["model"] = "other"
    tasks = {name: {"table": f"{name}/pairs.csv", "model": "same"} for name in ("same", "other")}
    config = {
        "radar": {"suspected": benchmarks, "detectors": ["my_package.MINE"]},
        "grounding": {
            "pairs": tasks,
            "rules": ["my_package.RULE"],
            "data": {"source": "local", "path": "other/sql"},
        },
        "claims": {"judges": ["mine"]},
    }
    with (folder / "config/models.yaml").open("a") as models:
        for name in ("same", "other"):
            models.write(f"\n{name}:\n  kind: local\n  label: {name}\n  folder: {name}/model\n")
    with (folder / "config/judges.yaml").open("a") as judges:
        judges.write("\nmine:\n  kind: my_package.JUDGE\n  label: Mine\n")
    with (folder / "config/papers.csv").open("a") as papers:
        for name in ("same", "other"):
            papers.write(f"{name},file,{name}/paper.txt,A paper,,\n")
    (folder / "own.yaml").write_text(yaml.safe_dump(config))


def make_results(tree: Checkout) -> None:
    """Write a placeholder for each result, and record the results as made."""
    summary = tree.snakemake(*TARGETS, "--summary", more=tree.folder / "own.yaml").stdout
    for line in summary.splitlines()[1:]:
        path = tree.folder / line.split("\t")[0]
        is_file = path.suffix in (".csv", ".gguf", ".html", ".json", ".jsonl", ".parquet", ".txt")
        (path.parent if is_file else path).mkdir(parents=True, exist_ok=True)
        if is_file:
            path.write_text(RECORD)
    # Without `--forceall`, a result that seems up to date gets no record.
    tree.snakemake(*TARGETS, "--touch", "--forceall", "--cores", "1", more=tree.folder / "own.yaml")


@pytest.fixture(scope="module")
def prepared(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A tree with files of each kind that a user may bring, in which everything is up to date."""
    folder = copy_of_the_tree(tmp_path_factory.mktemp("replaced") / "tree")
    users_files(folder)
    write_package(folder)
    configure(folder)
    tree = Checkout(folder, warm)
    make_results(tree)
    return tree


@pytest.fixture
def tree(prepared: Checkout, tmp_path: Path) -> Checkout:
    """A copy of the prepared tree that a test may edit; the files keep their dates."""
    shutil.copytree(prepared.folder, tmp_path / "tree", symlinks=True)
    return prepared._replace(folder=tmp_path / "tree")


def reasons(tree: Checkout) -> dict[str, str]:
    """By rule and wildcards, why a job is planned: `measure_suspected other-items` -> `params`.

    `params` stands for changed parameters. Jobs are left out that are planned only because another
    job updates their input, and the targets that are always planned.
    """
    out = tree.snakemake(*TARGETS, "-n", "--cores", "1", more=tree.folder / "own.yaml").stdout
    reason_by_job = {}
    for job in re.split(r"\n(?=(?:local)?rule )", out)[1:]:
        heading = re.match(r"(?:local)?rule (\w+):", job)
        reason = re.search(r"^    reason: (.*)$", job, re.MULTILINE)
        assert heading, job
        assert reason, job
        wildcards = re.search(r"^    wildcards: (.*)$", job, re.MULTILINE)
        values = re.findall(r"=([^,]+)", wildcards[1]) if wildcards else []
        if heading[1] in ALWAYS or reason[1].startswith("Input files updated by another job"):
            continue
        by_params = reason[1].startswith("Params have changed")
        name = " ".join([heading[1], *values])
        reason_by_job[name] = "params" if by_params else reason[1]
    return reason_by_job


def replace(path: Path, content: str) -> None:
    """Replace a file by another file with this content and an older date, as `rsync -t` does.

    The folder keeps its date.
    """
    folder_before = path.parent.stat()
    replacement = path.with_name("replacement")
    replacement.write_text(content)
    os.utime(replacement, (OLDER, OLDER))
    replacement.replace(path)
    os.utime(path.parent, ns=(folder_before.st_atime_ns, folder_before.st_mtime_ns))


def test_another_file_with_an_older_date_reruns_the_step_that_reads_it(tree: Checkout) -> None:
    other = tree.folder / "other"
    replace(other / "items.csv", items("jar"))
    replace(other / "control.csv", items("tin"))
    for name in ("unseen.csv", "seen.csv", "corpus.csv", "paper.txt"):
        replace(other / name, (other / name).read_text() + "One more line.\n")
    for name in ("calibration.csv", "pairs.csv", "model/model.safetensors", "sql/train.jsonl"):
        replace(other / name, (other / name).read_text() + "\n")

    jobs = [f"{step} other-{key}" for key, step in READERS.items()]
    jobs += [
        "score_suspected_by_own other-corpus",
        "link_local_model other",
        "patch_task other",
        "fetch_paper other",
        "import_sql train",
    ]
    assert reasons(tree) == dict.fromkeys(jobs, "params")


@pytest.mark.parametrize(
    ("name", "step"),
    [("model/model.safetensors", "link_local_model other"), ("paper.txt", "fetch_paper other")],
)
def test_a_file_edited_in_place_reruns_its_step_though_size_and_date_are_the_same(
    tree: Checkout, name: str, step: str
) -> None:
    path = tree.folder / "other" / name
    before = path.stat()
    path.write_text(path.read_text().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()

    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
        before.st_ino,
        before.st_size,
        before.st_mtime_ns,
    )
    assert reasons(tree) == {step: "params"}


@pytest.mark.gate
def test_a_new_date_alone_reruns_nothing(tree: Checkout) -> None:
    for path in [*(tree.folder / "other").rglob("*.*"), *(tree.folder / "my_package").iterdir()]:
        path.touch()
    assert reasons(tree) == {}


def test_new_content_in_a_data_file_of_the_users_package_reruns_what_runs_its_code(
    tree: Checkout,
) -> None:
    replace(tree.folder / "my_package/weights.json", '{"weight": 0.75}')

    by_detector = [f"score_suspected_by_own {benchmark}" for benchmark in BENCHMARKS]
    by_rule = ["patch_task same", "patch_task other"]
    by_judge = ["judge_paper_by_provider mine same", "judge_paper_by_provider mine other"]
    jobs = [*by_detector, *by_rule, *by_judge, "write_procedures procedures"]
    assert reasons(tree) == dict.fromkeys(jobs, "params")


@pytest.mark.gate
def test_two_files_that_change_places_rerun_the_step_that_reads_both(tree: Checkout) -> None:
    """Snakemake itself sees no change: the step's set of input files is the same."""
    path = tree.folder / "own.yaml"
    config = yaml.safe_load(path.read_text())
    benchmark = config["radar"]["suspected"]["other-items"]
    benchmark["seen"], benchmark["unseen"] = benchmark["unseen"], benchmark["seen"]
    path.write_text(yaml.safe_dump(config))

    assert reasons(tree) == {"measure_suspected other-items": "params"}


def test_a_data_file_that_moves_within_the_users_package_reruns_what_runs_its_code(
    tree: Checkout,
) -> None:
    weights = tree.folder / "my_package/weights.json"
    (tree.folder / "my_package/tables").mkdir()
    weights.rename(tree.folder / "my_package/tables/weights.json")

    assert "score_suspected_by_own same" in reasons(tree)


def test_error_rates_in_the_home_folder_are_found(
    tree: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tree.folder / "other"))
    path = tree.folder / "own.yaml"
    config = yaml.safe_load(path.read_text())
    config["radar"]["suspected"]["other-calibration"]["calibration"] = "~/calibration.csv"
    path.write_text(yaml.safe_dump(config))

    assert list(reasons(tree)) == ["reach_verdict other-calibration"]


def test_a_file_without_rows_of_the_split_in_the_folder_of_sql_reruns_nothing(
    tree: Checkout,
) -> None:
    folder = tree.folder / "other/sql"
    for name in ("notes.md", "test.jsonl", "train.txt", "more/valid.parquet"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}\n")
    assert reasons(tree) == {}

    (folder / "more/train-2.jsonl").write_text("{}\n")
    assert list(reasons(tree)) == ["import_sql train"]
