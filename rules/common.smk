"""Functions that the rules share; no rule stands here."""

import ast
import gc
import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

REPOSITORY = Path(workflow.basedir)
sys.path.insert(0, str(REPOSITORY))

from mechaware import configuration  # noqa: E402
from mechaware.claims.fetching.papers import planted_ids, read_papers  # noqa: E402
from mechaware.errors import UserError  # noqa: E402
from mechaware.grounding.data.vocabulary import read_vocabulary  # noqa: E402
from mechaware.radar import prompts as radar_prompts  # noqa: E402
from mechaware.seeds import derive_seed  # noqa: E402

# What is loaded by now stays. The garbage collector need not look it through again whenever the rules have made more
# objects: a fifth of a second of each dry run.
gc.freeze()

# Commands find the library in any environment and from any working directory.
shell.prefix(f"export PYTHONPATH='{REPOSITORY}' PYTHONHASHSEED=0; ")


@cache
def repo(path):
    """A file of this repository, relative to the working directory: the same string in every checkout that runs in place."""
    return os.path.relpath(REPOSITORY / path)


@cache
def code(script):
    """The script and every file of this repository that it imports, directly or not, for a rule's inputs.

    Snakemake compares such small files by content, so editing one reruns what uses it and touching one reruns nothing.
    """
    found, pending = set(), [REPOSITORY / script]
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending.extend(imported_files(path))
    return sorted(repo(path) for path in found)


@cache
def imported_files(path):
    """The files of this repository that importing a Python file runs. Scripts share most of them: each is read once."""
    return [file for module in imported_modules(path) for file in module_files(module)]


IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t].*?[ \t]import[ \t]*(?:\([^)]*\)|.*)|import[ \t].*)",
    re.MULTILINE,
)


def imported_modules(path):
    """Dotted names that a Python file imports; of `from a import b` both a and a.b, since b may be a module."""
    for node in import_statements(path.read_text()):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def import_statements(source):
    """The import statements of Python source, wherever they stand, and perhaps other nodes.

    They are cut out by the lines that begin with one, and parsed alone: parsing whole files took a tenth of a dry run.
    Where such a line is not a statement of its own (prose in a docstring, say), the whole file is parsed after all.
    """
    found = [match[0].strip() for match in IMPORT.finditer(source)]
    try:
        return ast.parse("\n".join(found)).body
    except SyntaxError:
        return list(ast.walk(ast.parse(source)))


@cache
def module_files(module):
    """The files of this repository that importing `module` runs: it and the packages that it lies in."""
    parts = module.split(".")
    if parts[0] not in ("mechaware", "scripts"):
        return []
    stems = [REPOSITORY.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]
    files = [
        path
        for stem in stems
        for path in (stem.with_suffix(".py"), stem / "__init__.py")
    ]
    return [path for path in files if path.exists()]


# config/models.yaml, config/judges.yaml and config/papers.csv, once check_config has read them
MODELS = {}
JUDGES = {}
PAPERS = {}
JUDGE_PROMPT_FILES = []


def check_config():
    """Refuse a config, a list of models or a prompt set that cannot be used, before anything runs."""
    try:
        schema = configuration.read_yaml(
            REPOSITORY / "config/schema.yaml", "config/schema.yaml"
        )
        configuration.check(config, schema, "config")
        entries = configuration.read_yaml(
            REPOSITORY / "config/models.yaml", "config/models.yaml"
        )
        models = {"$defs": schema["$defs"], "$ref": "#/$defs/models"}
        configuration.check(entries, models, "config/models.yaml")
        MODELS.update({str(name): entry for name, entry in entries.items()})
        for name in config["radar"]["models"]:
            configuration.check_choice(
                name, MODELS, "config, radar/models", "config/models.yaml"
            )
            if MODELS[name]["kind"] == "scratch":
                raise UserError(
                    f"config, radar/models: '{name}' has random weights; take it out"
                )
        check_prompt_sets()
        check_grounding()
        check_claims(schema)
    except UserError as error:
        raise WorkflowError(str(error)) from None


def check_prompt_sets():
    """Refuse a prompt set with a bad row, too few prompts for the folds, or a training prompt among the evaluation's."""
    folds = config["radar"]["folds"]
    training_path = Path(prompts_csv(config["radar"]["train"]))
    training = radar_prompts.read_prompts(training_path)
    radar_prompts.check_folds(training, folds, training_path, needs_both_classes=True)
    for name in config["radar"]["evaluate"]:
        if name == config["radar"]["train"]:
            raise UserError(
                f"config, radar/evaluate: '{name}' is the training set; take it out"
            )
        path = Path(prompts_csv(name))
        evaluation = radar_prompts.read_prompts(path)
        radar_prompts.check_folds(evaluation, folds, path, needs_both_classes=False)
        radar_prompts.check_disjoint(training, evaluation, training_path, path)


def check_grounding():
    """Refuse a base model that is not listed, a vocabulary with a fault, and steps without a last evaluation."""
    grounding = config["grounding"]
    configuration.check_choice(
        grounding["base"], MODELS, "config, grounding/base", "config/models.yaml"
    )
    data, training = grounding["data"], grounding["training"]
    read_vocabulary(
        Path(repo("config/sql/vocabulary.yaml")),
        tables=data["tables"],
        fields=data["fields"],
    )
    if training["steps"] % training["evaluate_every"]:
        raise UserError(
            f"config, grounding/training: evaluate_every {training['evaluate_every']} does not divide "
            f"steps {training['steps']}; the last step must be evaluated"
        )


def check_claims(schema):
    """Refuse a judge, a paper or a version of the judges' prompts that is not there or cannot be used."""
    claims = config["claims"]
    entries = configuration.read_yaml(
        REPOSITORY / "config/judges.yaml", "config/judges.yaml"
    )
    judges = {"$defs": schema["$defs"], "$ref": "#/$defs/judges"}
    configuration.check(entries, judges, "config/judges.yaml")
    JUDGES.update({str(name): entry for name, entry in entries.items()})
    PAPERS.update(read_papers(Path(repo("config/papers.csv"))))
    for name in claims["judges"]:
        configuration.check_choice(
            name, JUDGES, "config, claims/judges", "config/judges.yaml"
        )
        if JUDGES[name]["kind"] == "embedded":
            model = JUDGES[name]["model"]
            configuration.check_choice(
                model, MODELS, f"config/judges.yaml, {name}", "config/models.yaml"
            )
            if MODELS[model]["kind"] != "wheel":
                raise UserError(
                    f"config/judges.yaml, {name}: '{model}' has no GGUF file; name a model of kind wheel"
                )
    for name in claims["papers"]:
        configuration.check_choice(
            name, PAPERS, "config, claims/papers", "config/papers.csv"
        )
        paper = PAPERS[name]
        if paper.source == "file" and not Path(paper.location).expanduser().exists():
            raise UserError(
                f"config/papers.csv, {name}: no file {paper.location} (from {Path.cwd()}); correct its location"
            )
    for name in PAPERS.keys() & JUDGES.keys():
        raise UserError(
            f"config/papers.csv: id '{name}' is the name of a judge in config/judges.yaml; rename one"
        )
    if not claims["papers"] and not claims["planted_papers"]:
        raise UserError(
            "config, claims: no papers and no planted_papers; name a paper of config/papers.csv"
        )
    folder = f"config/judge_prompts/{claims['prompts']}"
    JUDGE_PROMPT_FILES[:] = sorted(
        f"{folder}/{path.name}" for path in (REPOSITORY / folder).glob("*.*")
    )
    if not JUDGE_PROMPT_FILES:
        raise UserError(
            f"config, claims/prompts: no {folder}; name a folder of config/judge_prompts"
        )


def values_by_name(entries, names, key):
    """Flags that give one key of the entries that have it: `name value` pairs."""
    return [
        word
        for name in names
        if key in entries[name]
        for word in (name, entries[name][key])
    ]


def prompts_csv(name):
    """The file of a prompt set."""
    return repo(f"config/prompts/{name}.csv")


def one_of(names):
    """A wildcard constraint: one of `names`, or nothing at all if there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def seed_for(*names):
    """A param: the seed of a random draw, from the config's seed and the draw's name, in which wildcards are filled in."""

    def seed(wildcards):
        return derive_seed(
            config["seed"], *(name.format(**wildcards) for name in names)
        )

    return seed


def caption(name):
    """The caption of a figure or table in the report."""
    return f"{REPOSITORY}/paper/captions/{name}.rst"


def study_of(name):
    """The study of a figure or table, as the report's category: the first word of its name."""
    return {
        "radar": "RADAR",
        "grounding": "Schema grounding",
        "claims": "Claim validity",
    }[name.partition("_")[0]]
