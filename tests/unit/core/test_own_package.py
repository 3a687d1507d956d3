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

# All detectors and rules but MINE have a name that this project uses.
MODULE = """
from mechaware.instruments.grounding.rules import Rule
from mechaware.instruments.radar.detectors.detector import Detector

def give_evidence(evidence, seed):
    return evidence

def give_measured(measured, thresholds):
    return measured

MINE = Detector("mine", "mine", "me", (), give_evidence)
LOSS = Detector("loss", "my loss", "me", (), give_evidence)  # a detector
CAPITALS = Detector("LOSS", "my loss", "me", (), give_evidence)  # a detector, in capitals
BLIND = Detector("bag_of_words", "my words", "me", (), give_evidence)  # a blind baseline
COLUMN = Detector("truth", "my truth", "me", (), give_evidence)  # another column
SHUFFLED = Detector("shuffled_loss", "my loss", "me", (), give_evidence)  # a shuffled column
G1 = Rule("g1", give_measured)  # a rule
RULE_SET = Rule("paper", give_measured)  # a set of rules
BASELINE = Rule("Answers", give_measured)  # a baseline, in capitals
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package in the working directory.

    When it is imported, `sys.modules` gets an entry `own_package_was_imported`.
    """
    name = f"own_{tmp_path.name}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "import sys\nsys.modules['own_package_was_imported'] = sys\n"
    )
    (folder / "module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    # Python's path without the working directory, the entry "".
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.delitem(sys.modules, "own_package_was_imported", raising=False)
    return name


def test_the_check_of_a_config_finds_a_package_without_importing_it(package: str) -> None:
    check_object(f"{package}.module.MINE", "config, radar/detectors")
    assert "own_package_was_imported" not in sys.modules


def test_a_package_that_is_not_installed_is_refused() -> None:
    message = r"^config, radar/detectors: no package 'own_nowhere' \(from /.*\); install"
    with pytest.raises(UserError, match=message):
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


def test_a_local_name_of_a_function_is_no_object_of_the_module(package: str) -> None:
    (Path(package) / "module.py").write_text("def make():\n    MINE = 1\n    return MINE\n")
    with pytest.raises(UserError, match="has no 'MINE'"):
        check_object(f"{package}.module.MINE", "config, radar/detectors")


def test_the_files_of_a_package_are_its_code_and_data_without_hidden_and_compiled_files(
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


def test_links_to_folders_are_followed_but_not_to_the_package_itself_or_to_nothing(
    package: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "deep.py").write_text("MINE = 1\n")
    (Path(package) / "linked").symlink_to(elsewhere)
    (Path(package) / "loop").symlink_to(tmp_path / package)
    (Path(package) / "dangling").symlink_to(tmp_path / "missing")
    names = [file.name for file in package_files(package)]
    assert names == ["__init__.py", "linked/deep.py", "module.py"]


@pytest.mark.parametrize("name", ["rules", "examples", "config", "tests", "paper", "benchmarks"])
def test_a_package_called_like_a_folder_of_the_repository_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Jobs import none of these folders."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(REPOSITORY)  # as in Snakemake's process
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("MINE = 1\n")
    assert [file.path for file in package_files(name)] == [tmp_path / name / "__init__.py"]
    check_object(f"{name}.MINE", "config, radar/detectors")
    with pytest.raises(UserError, match=f"'{name}' has no 'OTHER'; define it in __init__.py"):
        check_object(f"{name}.OTHER", "config, radar/detectors")


def test_a_package_called_like_one_that_jobs_import_is_the_repositorys(
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


def test_a_copy_of_a_package_on_pythonpath_is_ignored(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No job reads PYTHONPATH."""
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
def test_the_file_that_a_job_imports_is_among_the_files_of_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """The same packages lie in the working directory and on PYTHONPATH."""
    working = tmp_path / "working"
    on_path = tmp_path / "on_path"
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

    # The module `code` of the standard library runs the lines of its input.
    job = subprocess.run(
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
    imported = re.search("imported (.*)", job.stdout)
    assert imported is not None, job.stdout + job.stderr
    assert Path(imported[1]) in files


def test_the_users_detector_follows_the_projects(package: str) -> None:
    names = [detector.name for detector in all_detectors([f"{package}.module.MINE"])]
    assert names == [*(detector.name for detector in DETECTORS), "mine"]


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
def test_an_object_that_is_no_detector_or_has_a_taken_name_is_refused_in_one_line(
    package: str, name: str, message: str
) -> None:
    with pytest.raises(UserError, match=f"^{package}\\.{message}") as refused:
        all_detectors([f"{package}.{name}"])
    assert "\n" not in str(refused.value)


def test_two_detectors_of_one_name_are_refused(package: str) -> None:
    with pytest.raises(UserError, match="the name 'mine' is taken; rename the Detector"):
        all_detectors([f"{package}.module.MINE"] * 2)


def test_a_detector_with_the_name_of_a_shuffled_column_is_refused(package: str) -> None:
    message = "detector 'shuffled_loss': its name begins with shuffled_ or feature_; rename"
    with pytest.raises(UserError, match=message):
        all_detectors([f"{package}.module.SHUFFLED"])


@pytest.mark.parametrize(
    ("rule", "name"), [("G1", "g1"), ("RULE_SET", "paper"), ("BASELINE", "Answers")]
)
def test_a_rule_with_the_name_of_a_rule_a_rule_set_or_a_baseline_is_refused(
    package: str, rule: str, name: str
) -> None:
    with pytest.raises(UserError, match=f"the name '{name}' is taken; rename the Rule"):
        further_rules([f"{package}.module.{rule}"])
