"""House rules that no linter checks, in this order: about the workflow's rules and their commands,
about profiles and configs, about the documents, and about Python code.
"""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

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
RULE_FILES = "".join(path.read_text() for path in sorted(REPOSITORY.glob("rules/*.smk")))
# The name of each rule, and its body: the lines up to the next line that is not indented.
RULES = re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", RULE_FILES, re.MULTILINE | re.DOTALL)


def directives_of(body: str) -> dict[str, str]:
    """The directives of a rule by name, such as `input`, each with its lines."""
    directives = re.findall(r"^    (\w+):\n(.*?)(?=^    \w|\Z)", body, re.MULTILINE | re.DOTALL)
    return dict(directives)


def flags_of(script: str) -> list[str]:
    """The names of a command's flags: the parameters of its `main`; for a parameter of type
    `Flags[Settings]`, the fields of the class `Settings`.

    They are read from the source, because importing all scripts would load all libraries.
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
    command = re.search(r'f"{STEP} (\w+)\.(\w+)"\n(.*)', directives["shell"], re.DOTALL)
    assert command, f"rule {name} runs no command of scripts/"
    study, stem, flags = command.groups()
    assert stem == name

    script = f"scripts/{study}/{stem}.py"
    assert re.search(rf'^ +code=code\("{script}"[,)]', directives["params"])
    assert {"log", "benchmark", "conda"} <= directives.keys()
    environment = re.search(r'"\.\./envs/(\w+)\.yaml"', directives["conda"])
    assert environment
    assert (REPOSITORY / f"envs/{environment[1]}.yaml").exists()

    # The flags of the command are those of `main`, in the same order. A line of the command is
    # `" --a-flag={params.a_flag:q}"` or, for the flags of a model's or a judge's settings, which
    # a function of the rules writes, `" {params.settings}"`.
    written = []
    line = re.compile(r'^ +" (?:--([\w-]+)[ =]|\{params\.(\w*settings)\})', re.MULTILINE)
    for flag, settings in line.findall(flags):
        written.append(flag.replace("-", "_") or settings)
    assert written == flags_of(script)

    # Each flag takes an entry that the rule has.
    for directive, entry in re.findall(r"\{(input|output|params)\.(\w+)", flags):
        assert re.search(rf"\b{entry}=", directives[directive]), f"{directive}.{entry}"
    assert flags.rstrip().endswith('" 2> {log}"')


def constants_of_sources() -> set[str]:
    """The constants of the rules that name files of this repository, such as `VOCABULARY`."""
    # A constant and its value, which ends before the next assignment or block that is not indented.
    constant = re.compile(r"^([A-Z_]+) = (.*?)(?=^\S[^\n]*(?: = |:$)|\Z)", re.MULTILINE | re.DOTALL)
    file = re.compile(r"\b(?:repo|prompts_csv)\(")
    return {name for name, value in constant.findall(RULE_FILES) if file.search(value)}


def sources_in(text: str) -> set[str]:
    """What in part of a rule stands for files that no rule makes: calls such as `repo("a.csv")`,
    and names of functions of the wildcards and of constants.
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
    names = set(re.findall(r"\w+", text)) & (functions | constants_of_sources())
    return {*calls, *names}


@pytest.mark.parametrize(("name", "body"), RULES, ids=[name for name, _ in RULES])
def test_a_rule_has_a_fingerprint_of_each_input_that_no_rule_makes(name: str, body: str) -> None:
    """Otherwise a file that is replaced by one with an older date would rerun nothing."""
    flags = re.MULTILINE | re.DOTALL
    inputs = re.search(r"^    input:\n(.*?)^    \w", body, flags)
    contents = re.search(r"^        contents=contents_of(.*?)^ {4,8}\w", body, flags)
    sources = sources_in(inputs[1]) if inputs else set()
    fingerprinted = sources_in(contents[1]) if contents else set()

    assert sources == fingerprinted, name


def test_every_script_of_a_study_belongs_to_a_rule() -> None:
    scripts = {path.stem for path in REPOSITORY.glob("scripts/*/*.py")} - {"__init__"}
    assert scripts == {name for name, _ in RULES}


@pytest.mark.parametrize(
    "path", sorted(REPOSITORY.glob("profiles/*/config.yaml")), ids=lambda path: path.parent.name
)
def test_every_profile_has_the_same_default_memory_time_and_disk(path: Path) -> None:
    resources = yaml.safe_load(path.read_text())["default-resources"]
    assert resources == {"mem_mb": "1500 * attempt", "runtime": "10 * attempt", "disk_mb": 1000}


def test_every_profile_chooses_the_folder_of_the_cache_alike() -> None:
    """All profiles have the definitions of the default profile. A run with a read-only home tests
    that these find a folder (tests/workflow/test_hostile_surroundings.py).
    """
    definitions = set()
    for path in REPOSITORY.glob("profiles/*/config.yaml"):
        profile = yaml.safe_load(path.read_text())
        definitions.add((profile["__use_yte__"], *profile["__definitions__"]))

    assert len(definitions) == 1


@pytest.mark.parametrize("name", ["paper", "test", "demo", "reported"])
def test_the_other_configs_are_valid_on_top_of_the_default(name: str) -> None:
    config = read_config("config")
    update_config(config, read_config(name))
    schema = config_schema(REPOSITORY, find_results(REPOSITORY))
    configuration.check(config, schema, name)

    models = {*config["radar"]["models"], config["grounding"]["base"]}
    assert models <= read_config("models").keys()
    assert set(config["claims"]["judges"]) <= read_config("judges").keys()
    assert set(config["claims"]["papers"]) <= set(read_papers(REPOSITORY / "config/papers.csv"))


def read_config(name: str) -> dict[str, Any]:
    """A YAML file in config/."""
    content: dict[str, Any] = yaml.safe_load((REPOSITORY / f"config/{name}.yaml").read_text())
    return content


def test_the_documents_name_files_that_exist() -> None:
    for name in re.findall(r"`((?:config|profiles|tests|rules|scripts)/[\w./-]+)`", DOCUMENTS):
        # The one exception is a file that a user makes by following the document.
        assert name == "config/prompts/my_prompts.csv" or (REPOSITORY / name).exists(), name


@pytest.mark.gate
def test_snakemakes_linter_finds_nothing_but_the_fault_that_contributing_explains(
    tmp_path: Path,
) -> None:
    snakefile = str(REPOSITORY / "Snakefile")
    command = [sys.executable, "-m", "snakemake", "--lint", "--snakefile", snakefile]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    found = set(re.findall(r"^    \* (.+):$", run.stderr, re.MULTILINE))
    contributing = (REPOSITORY / "CONTRIBUTING.md").read_text()
    explained = re.findall(
        r"^`snakemake --lint` finds \*(.+?)\* and nothing else", contributing, re.MULTILINE
    )

    assert found == set(explained), run.stderr


@pytest.mark.gate
def test_the_snakefile_of_the_catalogue_makes_the_default_run(tmp_path: Path) -> None:
    """`workflow/Snakefile` is the path at which Snakemake's workflow catalogue looks."""
    snakefile = str(REPOSITORY / "workflow/Snakefile")
    command = [sys.executable, "-m", "snakemake", "-n", "--snakefile", snakefile]
    dry_run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert "\nrule draw_cards:" in dry_run.stdout


HEAVY = {"torch", "transformers", "pandas", "matplotlib", "sklearn", "scipy", "litellm", "pydantic"}


def test_what_the_rules_import_loads_nothing_heavy() -> None:
    """Every `snakemake -n` would wait for it. An import inside a function of the rules, which is
    indented, is left out: not every dry run calls the function.
    """
    sources = RULE_FILES + (REPOSITORY / "Snakefile").read_text()
    imported = re.findall(r"^from ((?:exhibits|mechaware)[\w.]+) import", sources, re.MULTILINE)
    # The search finds imports, among them the checks of every config.
    assert "mechaware.doors.checks.config" in imported

    code = f"import sys, {', '.join(imported)}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True
    )

    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) & HEAVY == set()


def is_of_text(call: ast.Call) -> bool:
    """Whether a call reads or writes text: the text of a file, or the output of a command."""
    name = getattr(call.func, "attr", "")
    if name in ("read_text", "write_text", "fdopen"):
        return True
    if name == "open":
        # `path.open()` and `path.open("a")`, but neither `path.open("rb")` nor
        # `archive.open(name)`. Ruff refuses `open(path)`.
        return all(isinstance(mode, ast.Constant) and "b" not in mode.value for mode in call.args)
    # `subprocess.run(..., text=True)`.
    return any(
        keyword.arg == "text" and ast.unparse(keyword.value) == "True" for keyword in call.keywords
    )


def names_utf8(call: ast.Call) -> bool:
    """Whether a call has a keyword `encoding`, or "utf-8" among its other arguments."""
    if any(keyword.arg == "encoding" for keyword in call.keywords):
        return True
    return any(isinstance(arg, ast.Constant) and arg.value == "utf-8" for arg in call.args)


def text_without_encoding(path: Path) -> list[str]:
    """The calls in a Python file that read or write text in the encoding of the locale."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and is_of_text(node) and not names_utf8(node):
            found.append(f"{path.relative_to(REPOSITORY)}, line {node.lineno}")
    return found


def test_text_is_read_and_written_as_utf8_in_every_locale() -> None:
    """Otherwise a Latin-1 locale would change the fingerprints of commands,
    and the text that is read from a paper.
    """
    paths = []
    for package in ("mechaware", "scripts", "exhibits"):
        paths += (REPOSITORY / package).rglob("*.py")
    # The packages have several hundred files; a search that finds fewer misses some.
    assert len(paths) > 200

    for path in paths:
        assert text_without_encoding(path) == []
    for path in REPOSITORY.glob("rules/*.smk"):
        assert not re.search(
            r"\b(read|write)_text\(\)|\bopen\(", path.read_text(encoding="utf-8")
        ), path


def test_no_test_imports_another() -> None:
    """What several tests need is in a module of the tests that holds no test itself, such as
    `claims_by_hand`.
    """
    imports = []
    for path in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = [node.module or "", *(alias.name for alias in node.names)]
            if any(re.search(r"(^tests.*\.|^)test_\w+$", name) for name in names):
                imports.append(f"{path.relative_to(REPOSITORY)}, line {node.lineno}: {node.module}")
    assert imports == []
