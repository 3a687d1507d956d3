"""The house rules that no linter knows: rules and their commands,
documents that follow the code.
"""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from exhibits.report.results import config_schema, find_results
from mechaware.core import schema as configuration
from mechaware.instruments.claims.fetching.papers import read_papers
from scripts.command import field_names

REPOSITORY = Path(__file__).resolve().parents[2]
# What a user reads: the README and its reference.
DOCUMENTS = "".join(
    p.read_text() for p in [REPOSITORY / "README.md", *sorted(REPOSITORY.glob("docs/**/*.md"))]
)
RULES = re.findall(
    r"^rule (\w+):\n(.*?)(?=^\S|\Z)",
    "".join(p.read_text() for p in REPOSITORY.glob("rules/*.smk")),
    re.M | re.S,
)


def directives_of(body: str) -> dict[str, str]:
    """The directives of a rule by name, such as `input`, each with its lines."""
    return dict(re.findall(r"^    (\w+):\n(.*?)(?=^    \w|\Z)", body, re.M | re.S))


def flags_of(script: str) -> list[str]:
    """The flags of a command: the parameters of its `main`, and for one of type `Flags[...]` the
    fields of that class.

    From the source: to import all scripts would load all libraries.
    """
    main = next(
        node
        for node in ast.parse((REPOSITORY / script).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == "main"
    )
    names: list[str] = []
    for parameter in main.args.kwonlyargs:
        settings = re.fullmatch(r"Flags\[(\w+)\]", ast.unparse(parameter.annotation))
        if settings:
            module = import_module(script.removesuffix(".py").replace("/", "."))
            names += field_names(getattr(module, settings[1]))
        else:
            names.append(parameter.arg)
    return names


@pytest.mark.parametrize(("name", "body"), RULES, ids=[name for name, _ in RULES])
def test_a_rule_has_its_command_log_benchmark_and_environment(name: str, body: str) -> None:
    directives = directives_of(body)
    command = re.search(r'f"{STEP} (\w+)\.(\w+)"\n(.*)', directives["shell"], re.S)
    assert command, "a rule calls a command"
    study, stem, flags = command.groups()
    assert stem == name
    script = f"scripts/{study}/{stem}.py"
    assert re.search(rf'^ +code=code\("{script}"[,)]', directives["params"])
    assert {"log", "benchmark", "conda"} <= directives.keys()
    environment = re.search(r'"\.\./envs/(\w+)\.yaml"', directives["conda"])
    assert environment
    assert (REPOSITORY / f"envs/{environment[1]}.yaml").exists()

    # The command's flags are those of `main`, and each takes an entry of the rule. The settings of
    # a judge or a model are flags of their own, which the rule makes.
    written = re.findall(r'^ +" (?:--([\w-]+)[ =]|\{params\.(\w*settings)\})', flags, re.M)
    named = ["".join(either).replace("-", "_") for either in written]
    assert named == flags_of(script)
    for directive, entry in re.findall(r"\{(input|output|params)\.(\w+)", flags):
        assert re.search(rf"\b{entry}=", directives[directive]), f"{directive}.{entry}"
    assert flags.rstrip().endswith('" 2> {log}"')


def constants_of_sources() -> set[str]:
    """The constants of the rules that are made of files of this repository."""
    text = "".join(path.read_text() for path in sorted(REPOSITORY.glob("rules/*.smk")))
    constants = re.findall(r"^([A-Z_]+) = (.*?)(?=^\S[^\n]*(?: = |:$)|\Z)", text, re.M | re.S)
    return {name for name, value in constants if re.search(r"\b(?:repo|prompts_csv)\(", value)}


def sources_in(text: str) -> set[str]:
    """The names in part of a rule that stand for files that no rule makes:
    calls, functions of wildcards, constants.
    """
    calls = re.findall(
        r"\b(?:repo|prompts_csv|suspected_file|folder_files|card_file)\([^)]+\)", text
    )
    functions = {
        "error_rates_tables",
        "task_table",
        "local_paper",
        "sql_dataset_files",
    }
    return {*calls, *(set(re.findall(r"\w+", text)) & (functions | constants_of_sources()))}


@pytest.mark.parametrize(("name", "body"), RULES, ids=[name for name, _ in RULES])
def test_a_rule_counts_the_content_of_each_input_that_no_rule_makes(name: str, body: str) -> None:
    """Otherwise a file that is replaced by one with an older date would rerun nothing."""
    inputs = re.search(r"^    input:\n(.*?)^    \w", body, re.M | re.S)
    contents = re.search(r"^        contents=contents_of(.*?)^ {4,8}\w", body, re.M | re.S)
    read = sources_in(inputs[1]) if inputs else set()
    assert read == (sources_in(contents[1]) if contents else set()), name


@pytest.mark.parametrize(
    "path", sorted(REPOSITORY.glob("profiles/*/config.yaml")), ids=lambda path: path.parent.name
)
def test_every_profile_gives_memory_time_and_disk_to_the_rules_that_name_none(path: Path) -> None:
    given = yaml.safe_load(path.read_text())["default-resources"]
    assert given == {"mem_mb": "1500 * attempt", "runtime": "10 * attempt", "disk_mb": 1000}


def test_every_profile_finds_a_folder_for_the_cache_where_home_cannot_be_written_to() -> None:
    """All define it as the default profile does, which a run tests
    (tests/workflow/test_hostile_surroundings.py).
    """
    profiles = [
        yaml.safe_load(path.read_text()) for path in REPOSITORY.glob("profiles/*/config.yaml")
    ]
    assert len({(profile["__use_yte__"], *profile["__definitions__"]) for profile in profiles}) == 1


def test_every_script_of_a_study_belongs_to_a_rule() -> None:
    scripts = {path.stem for path in REPOSITORY.glob("scripts/*/*.py")} - {"__init__"}
    assert scripts == {name for name, _ in RULES}


@pytest.mark.parametrize("name", ["paper", "test", "demo", "reported"])
def test_the_other_configs_are_valid_on_top_of_the_default(name: str) -> None:
    schema = config_schema(REPOSITORY, find_results(REPOSITORY))
    config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    more = yaml.safe_load((REPOSITORY / f"config/{name}.yaml").read_text())
    update_config(config, more)
    configuration.check(config, schema, name)
    named = {*config["radar"]["models"], config["grounding"]["base"]}
    assert named <= set(yaml.safe_load((REPOSITORY / "config/models.yaml").read_text()))
    assert set(config["claims"]["judges"]) <= set(
        yaml.safe_load((REPOSITORY / "config/judges.yaml").read_text())
    )
    assert set(config["claims"]["papers"]) <= set(read_papers(REPOSITORY / "config/papers.csv"))


def test_the_documents_name_files_that_exist() -> None:
    for name in re.findall(r"`((?:config|profiles|tests|rules|scripts)/[\w./-]+)`", DOCUMENTS):
        # The one exception is a file that the reader of the page makes.
        assert name == "config/prompts/my_prompts.csv" or (REPOSITORY / name).exists(), name


@pytest.mark.gate
def test_snakemake_finds_no_fault_in_the_rules_but_the_one_that_contributing_explains(
    tmp_path: Path,
) -> None:
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--lint",
        "--snakefile",
        str(REPOSITORY / "Snakefile"),
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    found = set(re.findall(r"^    \* (.+):$", run.stderr, re.M))
    explained = r"^`snakemake --lint` finds \*(.+?)\* and nothing else"
    assert found == set(
        re.findall(explained, (REPOSITORY / "CONTRIBUTING.md").read_text(), re.M)
    ), run.stderr


@pytest.mark.gate
def test_the_snakefile_of_the_catalogue_makes_the_default_run(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "-n",
        "--snakefile",
        str(REPOSITORY / "workflow/Snakefile"),
    ]
    assert (
        "\nrule draw_cards:"
        in subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    )


def test_importing_the_library_loads_nothing_heavy() -> None:
    """`snakemake -n` reads the config and the prompts with it,
    and must not load torch, pandas or scipy.
    """
    code = (
        "import sys; import mechaware.core.schema, mechaware.core.seeds, mechaware.instruments.radar.prompts, "
        "mechaware.models, "
        "mechaware.planted.sql.generation, mechaware.instruments.grounding.names, "
        "mechaware.instruments.claims.fetching.papers, "
        "mechaware.doors.checks.config, exhibits.report.results, mechaware.planted.controls.schema_readers; "
        "heavy = {'torch', 'transformers', 'pandas', 'matplotlib', 'sklearn', 'scipy', 'litellm', 'pydantic'}; "
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def text_without_encoding(path: Path) -> list[str]:
    """The calls in a Python file that read or write text in the encoding of the locale."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", "")
        keywords = {keyword.arg for keyword in node.keywords}
        constants = [value.value for value in node.args if isinstance(value, ast.Constant)]
        of_text = name in ("read_text", "write_text", "fdopen")
        # `path.open()` and `path.open("a")`, but not `archive.open(name)`; ruff refuses
        # `open(path)`.
        of_text |= (
            name == "open"
            and len(constants) == len(node.args)
            and not any("b" in mode for mode in constants)
        )
        of_text |= any(
            keyword.arg == "text" and ast.unparse(keyword.value) == "True"
            for keyword in node.keywords
        )
        if of_text and "encoding" not in keywords and "utf-8" not in constants:
            found.append(f"{path.relative_to(REPOSITORY)}, line {node.lineno}")
    return found


def test_text_is_read_and_written_as_utf8_in_every_locale() -> None:
    """Otherwise a Latin-1 locale would change the fingerprints of commands,
    and the text that is read from a paper.
    """
    paths = [
        path
        for name in ("mechaware", "scripts", "exhibits")
        for path in (REPOSITORY / name).rglob("*.py")
    ]
    assert len(paths) > 200
    assert [call for path in paths for call in text_without_encoding(path)] == []
    for path in REPOSITORY.glob("rules/*.smk"):
        assert not re.search(
            r"\b(read|write)_text\(\)|\bopen\(", path.read_text(encoding="utf-8")
        ), path


TESTS = sorted((REPOSITORY / "tests").rglob("test_*.py"))


def test_no_test_imports_another() -> None:
    """What several tests need is in a module beside them that holds no test,
    such as `claims_by_hand`.
    """
    imports = []
    for path in TESTS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = [node.module or "", *(alias.name for alias in node.names)]
            if any(re.search(r"(^tests.*\.|^)test_\w+$", name) for name in names):
                imports.append(f"{path.relative_to(REPOSITORY)}, line {node.lineno}: {node.module}")
    assert imports == []
