"""Functions that the rules share; no rule stands here."""

import ast
import gc
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(workflow.basedir)
sys.path.insert(0, str(REPOSITORY))

from mechaware import configuration  # noqa: E402
from mechaware.claims.fetching.papers import planted_ids, read_papers  # noqa: E402
from mechaware.errors import UserError  # noqa: E402
from mechaware.grounding.data.vocabulary import read_vocabulary  # noqa: E402
from mechaware.radar import prompts as radar_prompts  # noqa: E402
from mechaware.report import results as declared  # noqa: E402
from mechaware.seeds import derive_seed  # noqa: E402

# Exclude the imported modules from garbage collection; saves 0.2 s a dry run.
gc.freeze()

# Commands find the library in any environment and from any working directory.
shell.prefix(f"export PYTHONPATH='{REPOSITORY}' PYTHONHASHSEED=0; ")


@cache
def repo(path):
    """A file of this repository, relative to the working directory: the same string in every checkout that runs in place."""
    return os.path.relpath(REPOSITORY / path)


@cache
def code(*scripts):
    """The scripts and every file of this repository that they import, directly or not, for a rule's inputs.

    Snakemake compares such small files by content, so editing one reruns what uses it and touching one reruns nothing.
    """
    found, pending = set(), [REPOSITORY / script for script in scripts]
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


class Lists(NamedTuple):
    """What the config names things of, by name: config/models.yaml, config/judges.yaml and config/papers.csv."""

    models: Mapping
    judges: Mapping
    papers: Mapping


class Study(NamedTuple):
    """What the files of a study's figures and tables leave open."""

    title: str  # its category in the report
    wildcards: Mapping[str, Sequence[str]]  # in READS
    given: Mapping[str, Sequence[str]]  # parameter -> words of its flag
    environments: Mapping[str, str]  # folder of results -> name in envs/
    pages: Sequence[str] = ()  # results that are no figure and no table


def checked_lists():
    """The lists, once the config, the lists and the prompt sets are known to be usable; refuses them before anything runs.

    Completes the config's section `figures` with the settings that the figures' files declare.
    """
    try:
        schema = declared.config_schema(REPOSITORY, RESULTS)
        configuration.check(config, schema, "config")
        config["figures"] = declared.figure_settings(RESULTS, config["figures"])
        models = read_list("models", schema)
        judges = read_list("judges", schema)
        papers = read_papers(Path(repo("config/papers.csv")))
        check_radar(models)
        check_grounding(models)
        check_claims(models, judges, papers)
    except UserError as error:
        raise WorkflowError(str(error)) from None
    return Lists(models, judges, papers)


def read_list(name, schema):
    """The entries of config/{name}.yaml by name."""
    file = f"config/{name}.yaml"
    entries = configuration.read_yaml(REPOSITORY / file, file)
    configuration.check(
        entries, {"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"}, file
    )
    return {str(key): entry for key, entry in entries.items()}


def check_radar(models):
    """Refuse a model without trained weights, and a prompt set with a bad row, too few prompts or a training prompt."""
    for name in config["radar"]["models"]:
        configuration.check_choice(
            name, models, "config, radar/models", "config/models.yaml"
        )
        if models[name]["kind"] == "scratch":
            raise UserError(
                f"config, radar/models: '{name}' has random weights; take it out"
            )
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


def check_grounding(models):
    """Refuse a base model that is not listed, a vocabulary with a fault, and steps without a last evaluation."""
    grounding = config["grounding"]
    configuration.check_choice(
        grounding["base"], models, "config, grounding/base", "config/models.yaml"
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


def check_claims(models, judges, papers):
    """Refuse a judge, a paper or a version of the judges' prompts that is not there or cannot be used."""
    claims = config["claims"]
    for name in claims["judges"]:
        configuration.check_choice(
            name, judges, "config, claims/judges", "config/judges.yaml"
        )
        if judges[name]["kind"] == "embedded":
            model = judges[name]["model"]
            configuration.check_choice(
                model, models, f"config/judges.yaml, {name}", "config/models.yaml"
            )
            if models[model]["kind"] != "wheel":
                raise UserError(
                    f"config/judges.yaml, {name}: '{model}' has no GGUF file; name a model of kind wheel"
                )
    for name in claims["papers"]:
        configuration.check_choice(
            name, papers, "config, claims/papers", "config/papers.csv"
        )
        paper = papers[name]
        if paper.source == "file" and not Path(paper.location).expanduser().exists():
            raise UserError(
                f"config/papers.csv, {name}: no file {paper.location} (from {Path.cwd()}); correct its location"
            )
    for name in papers.keys() & judges.keys():
        raise UserError(
            f"config/papers.csv: id '{name}' is the name of a judge in config/judges.yaml; rename one"
        )
    if not claims["papers"] and not claims["planted_papers"]:
        raise UserError(
            "config, claims: no papers and no planted_papers; name a paper of config/papers.csv"
        )
    if not judge_prompts():
        raise UserError(
            f"config, claims/prompts: no config/judge_prompts/{claims['prompts']}; name a folder of config/judge_prompts"
        )


def judge_prompts():
    """The files of the judges' prompts."""
    folder = f"config/judge_prompts/{config['claims']['prompts']}"
    return sorted(f"{folder}/{path.name}" for path in (REPOSITORY / folder).glob("*.*"))


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


RESULTS = declared.find_results(REPOSITORY)
