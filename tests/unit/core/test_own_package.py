"""Objects of the user's own package: found without importing it, and imported by their names."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mechaware.core import own_package
from mechaware.core.errors import UserError
from mechaware.core.own_package import check_object, package_files
from mechaware.core.run_module import command
from mechaware.instruments.grounding.rules.registry import further_rules
from mechaware.instruments.radar.detectors.registry import DETECTORS, all_detectors
from tests.checkout import REPOSITORY

MODULE = """
from mechaware.instruments.grounding.rules import Rule
from mechaware.instruments.radar.detectors.detector import Detector
MINE = Detector("mine", "mine", "me", (), lambda evidence, seed: evidence)
LOSS = Detector("loss", "my loss", "me", (), lambda evidence, seed: evidence)
G1 = Rule("g1", lambda measured, thresholds: measured)
CAPITALS = Detector("LOSS", "my loss", "me", (), lambda evidence, seed: evidence)
BLIND = Detector("bag_of_words", "my words", "me", (), lambda evidence, seed: evidence)
COLUMN = Detector("truth", "my truth", "me", (), lambda evidence, seed: evidence)
SHUFFLED = Detector("shuffled_loss", "my loss", "me", (), lambda evidence, seed: evidence)
RULE_SET = Rule("paper", lambda measured, thresholds: measured)
BASELINE = Rule("Answers", lambda measured, thresholds: measured)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package in the working directory, which leaves a mark when it is imported."""
    name = f"own_{tmp_path.name}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "import sys\nsys.modules['own_package_was_imported'] = sys\n"
    )
    (folder / "module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    # Without the working directory.
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.delitem(sys.modules, "own_package_was_imported", raising=False)
    return name


def test_the_check_of_a_config_finds_a_package_without_importing_it(package: str) -> None:
    check_object(f"{package}.module.MINE", "config, radar/detectors")
    assert "own_package_was_imported" not in sys.modules
    with pytest.raises(
        UserError, match=r"^config, radar/detectors: no package 'own_nowhere' \(from /.*\); install"
    ):
        check_object("own_nowhere.module.MINE", "config, radar/detectors")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("module.MINNE", r"'\w+\.module' has no 'MINNE'; did you mean 'MINE'\?"),
        ("module.other", r"'\w+\.module' has no 'other'; define it in module\.py"),
        ("modul.MINE", r"no module '\w+\.modul' \(from /.*\); correct the name"),
        ("MINE", r"'\w+' has no 'MINE'; define it in __init__\.py"),
    ],
)
def test_a_misspelt_object_is_refused_without_importing_its_package(
    package: str, name: str, message: str
) -> None:
    with pytest.raises(UserError, match=f"^config, radar/detectors: {message}"):
        check_object(f"{package}.{name}", "config, radar/detectors")
    assert "own_package_was_imported" not in sys.modules


@pytest.mark.parametrize(
    "code",
    [
        "MINE: int = 1",
        "if True:\n    MINE = 1\nelse:\n    MINE = 2",
        "try:\n    from fast import MINE\nexcept ImportError:\n    MINE = None",
        "import numpy as MINE",
        "from somewhere import *",
        "def __getattr__(name):\n    return name",
        "first, (MINE, *rest) = 1, (2, 3)",
        "for MINE in range(3):\n    pass",
        "class MINE:\n    pass",
        "globals()['MINE'] = 1",
    ],
)
def test_an_object_is_found_however_its_module_makes_it(package: str, code: str) -> None:
    (Path(package) / "module.py").write_text(code)
    check_object(f"{package}.module.MINE", "config, radar/detectors")


def test_a_name_inside_a_function_is_no_object_of_the_module(package: str) -> None:
    (Path(package) / "module.py").write_text("def make():\n    MINE = 1\n    return MINE\n")
    with pytest.raises(UserError, match="has no 'MINE'"):
        check_object(f"{package}.module.MINE", "config, radar/detectors")


def test_a_package_has_its_code_and_its_data_but_not_what_programs_leave_in_it(
    package: str,
) -> None:
    folder = Path(package)
    for name in (
        "weights.json",
        "tables/words.csv",
        "__pycache__/module.cpython-311.pyc",
        ".git/HEAD",
        ".DS_Store",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    files = package_files(f"{package}.module")
    assert [file.name for file in files] == [
        "__init__.py",
        "module.py",
        "tables/words.csv",
        "weights.json",
    ]
    assert [file.path for file in files] == [folder.absolute() / file.name for file in files]


def test_a_linked_folder_is_part_of_its_package_and_one_that_holds_its_package_ends(
    package: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "deep.py").write_text("MINE = 1\n")
    (Path(package) / "linked").symlink_to(elsewhere)
    (Path(package) / "loop").symlink_to(tmp_path / package)
    (Path(package) / "nowhere").symlink_to(tmp_path / "missing")
    names = [file.name for file in package_files(package)]
    assert names == ["__init__.py", "linked/deep.py", "module.py"]


# Folders of this repository that are no Python packages.
@pytest.mark.parametrize("name", ["rules", "examples", "config", "tests", "paper", "benchmarks"])
def test_a_package_called_like_a_folder_of_the_repository_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(REPOSITORY)  # as in Snakemake's process
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("MINE = 1\n")
    assert [file.path for file in package_files(name)] == [tmp_path / name / "__init__.py"]
    check_object(f"{name}.MINE", "config, radar/detectors")
    with pytest.raises(UserError, match=f"'{name}' has no 'OTHER'; define it in __init__.py"):
        check_object(f"{name}.OTHER", "config, radar/detectors")


def test_a_package_called_like_one_of_ours_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("exhibits", "mechaware", "scripts"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MINE = 1\n")
        paths = [file.path for file in package_files(f"{name}.MINE")]
        assert paths
        assert all(path.is_relative_to(REPOSITORY / name) for path in paths)


def test_a_folder_of_the_repository_has_no_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    with pytest.raises(UserError, match=r"no module 'rules' .*; correct the name"):
        check_object("rules.MINE", "config, radar/detectors")


def test_a_copy_on_pythonpath_which_no_job_reads_is_passed_over(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "on_path" / package
    copy.mkdir(parents=True)
    (copy / "__init__.py").write_text("COPY = 1\n")
    monkeypatch.setenv("PYTHONPATH", str(copy.parent))
    monkeypatch.syspath_prepend(copy.parent)
    own_package._installed_path.cache_clear()
    paths = [file.path for file in package_files(package)]
    assert paths == [tmp_path / package / "__init__.py", tmp_path / package / "module.py"]
    with pytest.raises(UserError, match="has no 'COPY'"):
        check_object(f"{package}.COPY", "config, radar/detectors")


@pytest.mark.parametrize(
    "module", ["rules", "numpy", "mechaware", "own_folder.part", "own_module", "own_package.part"]
)
def test_the_files_of_a_package_are_those_that_a_job_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    working, on_path = tmp_path / "working", tmp_path / "on_path"
    for folder in (working, on_path):
        for file in (
            "rules/__init__.py",
            "numpy/__init__.py",
            "mechaware/__init__.py",
            "own_folder/part.py",
            "own_module.py",
            "own_package/__init__.py",
            "own_package/part/__init__.py",
        ):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("")
    monkeypatch.chdir(working)
    monkeypatch.setenv("PYTHONPATH", str(on_path))
    monkeypatch.syspath_prepend(on_path)
    monkeypatch.syspath_prepend(REPOSITORY)  # as in Snakemake's process
    own_package._installed_path.cache_clear()
    files = [file.path for file in package_files(module)]

    # Python's module `code` runs what it reads.
    imported = subprocess.run(
        command("code"),
        input=(
            "from mechaware.core.own_package import load_object\n"
            f"print('imported', load_object('{module}.__file__', str))\n"
        ),
        env=os.environ | {"PYTHONPATH": ""},  # as for every job
        capture_output=True,
        check=True,
        text=True,
    )
    found = re.search("imported (.*)", imported.stdout)
    assert found is not None, imported.stdout + imported.stderr
    assert Path(found[1]) in files


def test_an_own_detector_follows_ours(package: str) -> None:
    own = all_detectors([f"{package}.module.MINE"])
    assert [detector.name for detector in own] == [
        *(detector.name for detector in DETECTORS),
        "mine",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "modul.MINE",
            r"modul\.MINE: cannot be imported \(No module named '.*\.modul'\); correct the name",
        ),
        (
            "module.YOURS",
            r"module\.YOURS: cannot be imported \(module '.*' has no attribute 'YOURS'\); correct",
        ),
        ("module.G1", r"module\.G1: of type Rule; name a Detector"),
        ("module.LOSS", r"module\.LOSS: the name 'loss' is taken; rename the Detector"),
        ("module.CAPITALS", r"module\.CAPITALS: the name 'LOSS' is taken; rename the Detector"),
        ("module.BLIND", r"module\.BLIND: the name 'bag_of_words' is taken; rename the Detector"),
        ("module.COLUMN", r"module\.COLUMN: the name 'truth' is taken; rename the Detector"),
    ],
)
def test_what_is_no_detector_or_has_a_name_of_ours_is_refused_in_one_line(
    package: str, name: str, message: str
) -> None:
    with pytest.raises(UserError, match=f"^{package}\\.{message}") as refused:
        all_detectors([f"{package}.{name}"])
    assert "\n" not in str(refused.value)


def test_two_of_one_name_and_the_name_of_a_shuffled_column_are_refused(package: str) -> None:
    with pytest.raises(UserError, match="the name 'mine' is taken; rename the Detector"):
        all_detectors([f"{package}.module.MINE"] * 2)
    with pytest.raises(
        UserError,
        match="detector 'shuffled_loss': its name begins with shuffled_ or feature_; rename",
    ):
        all_detectors([f"{package}.module.SHUFFLED"])


@pytest.mark.parametrize(
    ("rule", "name"), [("G1", "g1"), ("RULE_SET", "paper"), ("BASELINE", "Answers")]
)
def test_a_rule_with_the_name_of_one_of_our_cards_is_refused(
    package: str, rule: str, name: str
) -> None:
    with pytest.raises(UserError, match=f"the name '{name}' is taken; rename the Rule"):
        further_rules([f"{package}.module.{rule}"])
