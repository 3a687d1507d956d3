"""Each environment, and an install of the library, has the packages that its code imports."""

import ast
import re
from pathlib import Path

import pytest
import yaml
from packaging.utils import canonicalize_name

from exhibits.report.results import find_results
from tests.unit.imported_packages import modules, needed_packages, own_packages
from tests.unit.requirements import RUN, TORCH, required_by_install, with_requirements

REPOSITORY = Path(__file__).resolve().parents[2]
# The environments of rules: envs/NAME.yaml.
ENVIRONMENTS = sorted(path.stem for path in REPOSITORY.glob("envs/*.yaml"))


def body_of_each_rule() -> list[str]:
    """The text of every rule, from below its first line to its end."""
    text = "".join(path.read_text() for path in REPOSITORY.glob("rules/*.smk"))
    return re.findall(r"^rule \w+:\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)


RULE_BODIES = body_of_each_rule()

BUILDS_A_MODEL = {"torch", "transformers", "tokenizers"}
# By environment: packages that are imported only in functions which its commands never call.
NEVER_CALLED = {
    # It takes the names of detectors and controls from the modules that compute them, and writes
    # no table.
    "figures": BUILDS_A_MODEL | {"scikit-learn", "rapidfuzz", "jinja2", "tqdm"},
    # It takes the names of controls from the modules that build their weights.
    "stats": BUILDS_A_MODEL,
}


# Environments of rules


def pinned_in(environment: str) -> dict[str, str]:
    """The versions that an environment pins, by package."""
    text = (REPOSITORY / f"envs/{environment}.yaml").read_text()
    dependencies = yaml.safe_load(text)["dependencies"]
    (requirements,) = (entry["pip"] for entry in dependencies if isinstance(entry, dict))
    versions = {}
    for requirement in requirements:
        name, version = requirement.split("==")
        versions[canonicalize_name(name)] = version
    return versions


def files_run_in(environment: str) -> set[Path]:
    """The scripts of the rules that name an environment, and the figures and tables made in it."""
    files = set[Path]()
    for body in RULE_BODIES:
        if f'"../envs/{environment}.yaml"' in body:
            scripts = re.findall(r'code\("(scripts/[\w/]+\.py)"', body)
            files |= {REPOSITORY / script for script in scripts}

    for result in find_results(REPOSITORY):
        rules = (REPOSITORY / f"rules/{result.study}.smk").read_text()
        # `environments={"figures": "figures", "tables": "stats"}` in the rules of a study.
        (environments,) = re.findall(r"environments=(\{.*?\})", rules)
        if ast.literal_eval(environments)[result.folder] == environment:
            command = "draw_figure" if result.folder == "figures" else "fill_table"
            files |= {REPOSITORY / result.file, REPOSITORY / f"scripts/{command}.py"}
    return files


def missing(files: set[Path], installed: frozenset[str], *, at_once: bool) -> dict[str, str]:
    """The packages that `files` need and `installed` lacks, each with a file that needs it."""
    paths = {}
    for package, path in needed_packages(files, at_once=at_once).items():
        if package not in installed:
            paths[package] = str(path.relative_to(REPOSITORY))
    return paths


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_pins_as_the_lock_file_does(environment: str) -> None:
    assert pinned_in(environment).items() <= (RUN | TORCH).items()


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_installs_all_that_its_scripts_import(environment: str) -> None:
    files = files_run_in(environment)
    installed = frozenset().union(*map(with_requirements, pinned_in(environment)))
    never_called = NEVER_CALLED.get(environment, set())

    assert files
    assert missing(files, installed, at_once=True) == {}
    assert missing(files, installed | never_called, at_once=False) == {}
    assert never_called <= missing(files, installed, at_once=False).keys()


# An install of the library


def files_matching(*patterns: str) -> set[Path]:
    """The modules of the library whose paths below mechaware/ match one of the patterns."""
    files = set[Path]()
    for pattern in patterns:
        files |= {path for path in REPOSITORY.glob(f"mechaware/{pattern}") if path.suffix == ".py"}
    return files


def packages_of(files: set[Path]) -> set[str]:
    """The packages that files import themselves, or that their code implies."""
    return set().union(*map(own_packages, files))


# What an install without extras has to import; `doors` holds the public functions.
PLAIN = files_matching(
    "*.py",
    "core/**/*",
    "models/**/*",
    "instruments/radar/**/*",
    "instruments/grounding/**/*",
    "planted/controls/*",
    "planted/twins/*",
    "planted/sql/*",
    "verdicts/*.py",
    "verdicts/cases/*",
    "doors/*.py",
    "doors/radar/*",
) - files_matching("core/archive.py")
# What an install with the extra `claims` has to import, too.
CLAIMS = files_matching(
    "doors/claims/*",
    "instruments/claims/fetching/**/*",
    "instruments/claims/reading/**/*",
    "instruments/claims/judges/**/*",
    "instruments/claims/votes/**/*",
    "instruments/claims/rubric/**/*",
)


def test_an_install_without_extras_requires_exactly_what_its_modules_import() -> None:
    assert packages_of(PLAIN) == required_by_install()


def test_the_extra_for_claims_requires_exactly_what_its_modules_import_besides() -> None:
    packages = packages_of(CLAIMS)

    assert packages <= required_by_install("claims")
    # trafilatura needs lxml-html-clean.
    added = required_by_install("claims") - required_by_install()
    assert added <= packages | {"lxml-html-clean"}


def test_the_extras_claims_and_workflow_require_all_that_any_file_imports() -> None:
    assert packages_of(set(modules().values())) <= required_by_install("claims", "workflow")
