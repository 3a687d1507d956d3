"""The recipes of CONTRIBUTING.md, followed as printed in copies of the tree."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

from exhibits.radar.schemas import SUSPECTED
from mechaware.core.frames import Schema, read_csv
from tests.checkout import REPOSITORY, Checkout, copy_of_the_tree
from tests.tiny_models import make_tiny_model
from tests.workflow.recipes import CONTRIBUTING, FIGURE, FILES, follow

# The parts of CONTRIBUTING.md that name their place in words (tests/workflow/recipes.py has those
# that name a file): the configs, the figure's place in the paper, and a feature's reference.
CONFIGS = [
    yaml.safe_load(text)
    for text in re.findall(r"^In your config:\n\n```yaml\n(.*?)```$", CONTRIBUTING, re.M | re.S)
]
((APPENDIX, BLOCK, FIGURE_IN_PAPER),) = re.findall(
    r"^In `([\w./]+)`, as the last line of the block of its study, `(.*?)`:\n\n```typst\n(.*?)```$",
    CONTRIBUTING,
    re.M | re.S,
)
(REFERENCE,) = re.findall(
    r"^In `reference_surface`, before its `return`:\n\n```python\n(.*?)```$",
    CONTRIBUTING,
    re.M | re.S,
)


class OwnToOurs(NamedTuple):
    """How a file of the user's package becomes a file of the library.

    The file moves into the folder of `registry`, which lists its kind. In `registry`, `name` is
    imported from the file, and the text `old` becomes `new`, in which {} stands for `name`.
    """

    registry: str
    name: str
    old: str
    new: str


# By the file in the user's package.
OURS = {
    "my_package/certainty.py": OwnToOurs(
        "mechaware/instruments/radar/detectors/registry.py",
        "CERTAINTY",
        "\n    sequences.OVERLAP,\n",
        "\n    sequences.OVERLAP,\n    {},\n",
    ),
    "my_package/answers.py": OwnToOurs(
        "mechaware/instruments/grounding/rules/registry.py",
        "ANSWERS",
        "[Rule, ...] = ()",
        "[Rule, ...] = ({},)",
    ),
}
# Tests of what reads the lists of features, detectors, rules and figures.
READ_THE_LISTS = (
    "tests/unit/instruments/radar/detectors",
    "tests/unit/instruments/radar/evidence",
    "tests/unit/instruments/radar/feature_extraction",
    "tests/unit/instruments/grounding/rules",
    "tests/exhibits/radar",
    "tests/exhibits/grounding",
    "tests/exhibits/report/test_docs.py",
    "tests/exhibits/report/test_results.py",
    "tests/exhibits/report/test_values.py",
    "tests/unit/test_documented_numbers.py",
    "tests/unit/test_documents.py",
    "tests/unit/test_house.py",
    "tests/unit/test_structure.py",
)
SURFACE = "mechaware/instruments/radar/feature_extraction/surface.py"
pytestmark = pytest.mark.gate


def follow_figure(folder: Path) -> None:
    """Write the figure and its caption, and place it in the paper."""
    files = [path for path in FILES if FIGURE in path]
    assert len(files) == 2
    for path in files:
        follow(path, folder)
    insert(folder / APPENDIX, FIGURE_IN_PAPER, after=BLOCK, before="\n]\n")


def insert(file: Path, lines: str, *, before: str, after: str = "") -> None:
    """Insert lines before the first `before` that comes after `after`.

    `before` starts with the line break that ends the line above the new lines.
    """
    content = file.read_text()
    start = content.index(before, content.index(after)) + len("\n")
    file.write_text(content[:start] + lines + content[start:])


def planned(tree: Checkout, more: Path) -> set[str]:
    """The rules of the jobs that a dry run plans."""
    targets = ("all", "suspected")
    run = tree.snakemake(*targets, "-n", "--cores", "all", "--resources", "gpu=1", more=more)
    rules = re.findall(r"^(?:local)?rule (\w+):", run.stdout + run.stderr, re.MULTILINE)
    return set(rules).difference(targets)


def test_a_figure_is_its_file_its_caption_and_its_place_in_the_paper(tree: Checkout) -> None:
    follow_figure(tree.folder)
    more = tree.folder / "more.yaml"
    more.write_text(f"figures: {{{FIGURE}: {{bins: 5}}}}\n")
    run = tree.snakemake("--cores", "all", more=more)
    made = re.findall(r"^(?:local)?rule (\w+):", run.stdout + run.stderr, re.MULTILINE)

    assert sorted(made) == ["all", "paper", FIGURE]

    figure = tree.folder / f"results/figures/{FIGURE}.pdf"
    assert figure.read_bytes().startswith(b"%PDF")
    assert figure.with_suffix(".png").exists()

    record = json.loads(figure.with_suffix(".provenance.json").read_text())
    (step,) = [step for step in record["steps"] if step["step"] == FIGURE]
    assert step["parameters"] == {"bins": 5, "width": 4.0}

    python(tree.folder, "-m", "scripts.write_docs")
    assert f"`results/figures/{FIGURE}.pdf`" in (tree.folder / "docs/results.md").read_text()
    assert f"`figures/{FIGURE}/bins` | `10`" in (tree.folder / "docs/configuration.md").read_text()

    # A paper without the figure's study is made without the figure.
    more.write_text("studies: [claims]\n")
    tree.snakemake("--cores", "all", "results/paper/paper.pdf", more=more)


def test_the_users_package_has_a_detector_a_rule_and_a_kind_of_judge(tree: Checkout) -> None:
    folder = tree.folder
    shown = folder / "results/tables/shown/grounding_verdict.csv"
    before = pd.read_csv(shown, dtype=str)
    for path in FILES:
        if path.startswith(("my_package/", "config/")):
            follow(path, folder)
    (folder / "my_package/__init__.py").touch()

    # A llama model reads a context of any length.
    make_tiny_model("llama", folder / "tiny", n_layers=2)
    with (folder / "config/models.yaml").open("a") as models:
        models.write("\ntiny: {kind: local, label: Tiny, folder: tiny}\n")

    # The tutorial's items, with a column `seen` that is True for the first three.
    tutorial = (REPOSITORY / "docs/tutorials/seen.md").read_text()
    (items,) = re.findall(r"```csv\n(.*?)```", tutorial, re.S)
    header, *rows = items.splitlines()
    lines = [f"{header},seen"]
    lines += [f"{row},True" for row in rows[:3]]
    lines += [f"{row},False" for row in rows[3:]]
    (folder / "items.csv").write_text("\n".join(lines) + "\n")

    config = {"radar": {"suspected": {"mine": {"items": "items.csv", "model": "tiny"}}}}
    for printed in CONFIGS:
        update_config(config, printed)
    more = folder / "more.yaml"
    more.write_text(yaml.safe_dump(config))

    tree.snakemake("all", "suspected", "--cores", "all", "--resources", "gpu=1", more=more)

    suspected = folder / "results/radar/suspected/mine"
    scores = read_csv(suspected / "scores.csv", SUSPECTED)

    assert "certainty" not in scores

    own = read_csv(suspected / "own_scores.csv", SUSPECTED)
    assert list(own) == ["id", "seen", "certainty"]
    assert own["id"].tolist() == scores["id"].tolist()
    assert own["certainty"].between(0, 1).all()

    ranked = read_csv(
        suspected / "detectors.csv",
        SUSPECTED._replace(text=(*SUSPECTED.text, "detector", "label", "source")),
    )

    assert "certainty" in ranked["detector"].tolist()

    after = pd.read_csv(shown, dtype=str)
    assert list(after)[-3] == "right_answers, %"
    pd.testing.assert_frame_equal(after.drop(columns="right_answers, %"), before)

    counts = read_csv(
        folder / "results/tables/grounding_rule_sets.csv",
        Schema(text=("rules", "measure", "wrong")),
    )

    assert counts["rules"].tolist()[-2:] == ["further_right_answers"] * 2
    assert (folder / "results/claims/mine.html").exists()

    def scores_by(judge: str) -> dict[str, Any]:
        path = folder / f"results/claims/judgements/{judge}/planted-01/scores.json"
        scores: dict[str, Any] = json.loads(path.read_text())
        return scores

    assert scores_by("mine") | {"judge": "lexical"} == scores_by("lexical")

    assert planned(tree, more) == set()

    # A comment in the detector's file reruns nothing.
    module = folder / "my_package/certainty.py"
    module.write_text(f"{FILES['my_package/certainty.py']}\n# edited\n")
    assert planned(tree, more) == set()

    # Edited code reruns what runs the package's code, but none of the library's own measurements
    # and scores.
    module.write_text(f"{FILES['my_package/certainty.py']}\nEDITED = True\n")
    jobs = planned(tree, more)
    assert jobs >= {
        "score_suspected_by_own",
        "score_twins_by_own",
        "rank_detectors",
        "reach_verdict",
        "judge_runs",
        "grounding_verdict",
        "judge_paper_by_provider",
    }
    assert jobs.isdisjoint(
        {
            "measure_controls",
            "measure_pairs",
            "measure_suspected",
            "judge_paper",
            "score_twins",
            "score_suspected",
        }
    )


def test_the_recipes_files_become_the_librarys_and_the_tests_of_its_lists_pass(
    tmp_path: Path,
) -> None:
    """Figure, feature, detector and rule in one copy.

    Until the feature has its reference, the test that compares features with references fails.
    """
    folder = copy_of_the_tree(tmp_path / "tree")
    follow_figure(folder)
    follow(SURFACE, folder)
    for path, (registry, name, old, new) in OURS.items():
        listed = folder / registry
        listed.with_name(Path(path).name).write_text(FILES[path])
        text = listed.read_text()
        assert text.count(old) == 1
        listed.write_text(text.replace(old, new.format(name)))
        package = str(Path(registry).parent).replace("/", ".")
        line = f"from {package}.{Path(path).stem} import {name}\n"
        insert(listed, line, before="\nfrom mechaware")
    python(folder, "-m", "scripts.write_docs")

    tests = ("-m", "pytest", "-v", "-p", "no:cacheprovider")
    features = "tests/unit/instruments/radar/feature_extraction/test_features.py"

    failed = python(folder, *tests, "-x", "-k", "formula", features, fails=True)
    assert "median_confidence" in failed

    insert(
        folder / "tests/unit/instruments/radar/feature_extraction/reference.py",
        REFERENCE,
        after="def reference_surface(",
        before="\n    return features\n",
    )
    printed = python(folder, *tests, *READ_THE_LISTS)

    assert re.search(
        r"test_the_needs_of_a_detector_suffice_and_each_is_read\[certainty\] PASSED", printed
    )
    assert re.search(r"^=+ \d{3,4} passed", printed, re.M)


def python(folder: Path, *arguments: str, fails: bool = False) -> str:
    """Run Python in the folder, with the folder's own library; returns the standard output.

    The run must succeed, or with `fails` it must fail; else the test fails.
    """
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert (run.returncode != 0) is fails, run.stdout[-6000:] + run.stderr[-3000:]
    return run.stdout
