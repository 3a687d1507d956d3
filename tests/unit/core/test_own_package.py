"""Objects of the user's own package: found without importing it, and imported by their names."""

import sys
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.core.own_package import check_object, package_files
from mechaware.instruments.grounding.rules.registry import further_rules
from mechaware.instruments.radar.detectors.registry import DETECTORS, all_detectors

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
    monkeypatch.setattr(
        sys, "path", [folder for folder in sys.path if folder]
    )  # without the working directory
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
    found = [
        path.absolute().relative_to(folder.absolute()).as_posix()
        for path in package_files(f"{package}.module")
    ]
    assert found == ["__init__.py", "module.py", "tables/words.csv", "weights.json"]


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
