"""What the rules share: functions and constants, and the checked config; no rules.

In this order:

    source, repo                paths of this repository
    ENVIRONMENT, STEP           how a command starts
    code, contents_of           params that rerun a rule if code or the content of an input changes
    recorded                    outputs with their provenance records
    messages_of_failed_commands what is printed after a failed run
    Study                       what the figures and tables of a study have in common
    values_by_name ... caption  flags, wildcard constraints, seeds, memory, templates
    RESULTS, config, MODELS ... the figures and tables, and the checked config

`REPOSITORY`, `LIBRARY`, `UserError` and the unchecked `config` are from config_files.smk.
"""

import dataclasses
import hashlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mechaware.doors.checks.config import check_config
from mechaware.core.code_fingerprint import code_fingerprint
from mechaware.core.digests import Digests
from mechaware.core.own_folder import name_own_files
from mechaware.models.settings import ModelSettings
from exhibits.report.results import config_schema, figure_settings, find_results
from mechaware.core.seeds import derive_seed


def source(path):
    """The path of a file of this repository; `path` is relative to the repository.

    In an installed package, the library lies one folder above the other files (setup.py).
    """
    return (LIBRARY if Path(path).parts[0] == "mechaware" else REPOSITORY) / path


@cache
def repo(path):
    """As `source`, but relative to the working directory: the path is the same in each checkout."""
    return os.path.relpath(source(path))


# Starts every command, so that its result depends neither on files in the working directory (`-P`,
# run_module.py) nor on the user's settings of Python and Matplotlib, and so that HOME need not be
# writable. Not `shell.prefix`, which would also change the commands of a workflow that uses this
# one as a module.
ENVIRONMENT = (
    "PYTHONPATH= PYTHONOPTIMIZE= PYTHONWARNINGS= PYTHONINSPECT= PYTHONHASHSEED=0 PYTHONUTF8=1 "
    "MATPLOTLIBRC=/dev/null MPLCONFIGDIR=.snakemake/matplotlib"
)
RUN_MODULE = (
    f"{ENVIRONMENT} python -P {shlex.quote(repo('mechaware/core/run_module.py'))}"
)
# Starts a rule's command: `f"{STEP} radar.extract_features"` runs `main` of
# scripts/radar/extract_features.py, with its parameters as flags. A value may be empty or begin
# with a dash, hence `--flag={value:q}`; a list follows its flag.
STEP = f"{RUN_MODULE} scripts"


@cache
def code(*scripts, own=()):
    """A param: a fingerprint of the scripts and of all files of this repository that they import.

    Imports of imports count as well. An edit of their code changes the fingerprint and so reruns
    the rule; touching a file or editing a comment does not. It is a param, since some forty files a
    job as inputs would fill a run's messages and take a third of a long dry run.

    `own` are dotted names in packages of the user's own, or a function of the wildcards that
    returns such names: the files of these packages count as well.
    """
    if callable(own):
        return lambda wildcards: code(*scripts, own=own(wildcards))
    try:
        return code_fingerprint(scripts, own, DIGESTS)
    except UserError as error:
        raise WorkflowError(str(error)) from None


# The digests of input files, kept next to Snakemake's own records of the files that a run has read.
DIGESTS = Digests(Path(".snakemake/mechaware_digests.json"))


def contents_of(*inputs):
    """A param: a fingerprint of what input files contain; changed content reruns the rule.

    Snakemake itself compares dates. A file that was replaced by another with an older date, as
    `cp -p`, `rsync -t`, `mv` and `unzip` do, would count as unchanged.

    Each of `inputs` is given as in a rule: a path with wildcards, a list of such paths, or a
    function of the wildcards.
    """

    def contents(wildcards):
        lines = []
        # A line for each input: the fingerprint changes if a file moves to another input.
        for entry in inputs:
            paths = input_paths(entry, wildcards)
            lines.append(" ".join(content_of(path) for path in paths))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    return contents


def input_paths(entry, wildcards):
    """The paths of one of the `inputs` of `contents_of`."""
    if callable(entry):
        paths = entry(wildcards)
        return [paths] if isinstance(paths, str) else paths
    patterns = [entry] if isinstance(entry, str) else entry
    return [pattern.format(**wildcards) for pattern in patterns]


def content_of(path):
    """The digest of an input file; for a result, its path.

    A result needs no digest: when a job makes it again, Snakemake also reruns what reads it.
    """
    results = os.path.abspath("results")
    is_result = Path(os.path.abspath(path)).is_relative_to(results)
    return path if is_result else DIGESTS.of(Path(path))


def records(paths):
    """The provenance records next to the files, without duplicates."""
    return sorted({str(Path(path).with_suffix(".provenance.json")) for path in paths})


def recorded(**outputs):
    """An output: the files under their names, and under `provenance` their provenance records.

    The rule's command writes both.
    """
    paths = []
    for value in outputs.values():
        paths += [value] if isinstance(value, str) else value
    return {**outputs, "provenance": records(paths)}


def messages_of_failed_commands(since):
    """The name and the last line of each log that a failed command wrote after `since`.

    `since` is in seconds, as `time.time()` gives it. A command that fails ends its log with
    `error: ...`, or with the last line of a traceback.
    """
    messages = []
    for log in sorted(Path("logs").rglob("*.log")):
        if log.stat().st_mtime < since:
            continue
        text = log.read_text(encoding="utf-8", errors="replace").strip()
        last = text.rpartition("\n")[2]
        if last.startswith("error: ") or "Traceback (most recent call last)" in text:
            messages.append(f"{log}: {last}")
    return messages


class Study(NamedTuple):
    """What the figures and tables of a study have in common.

    - `title`: the study's category in the report.
    - `wildcards`: the values of each wildcard in the lists of inputs, `READS`, of their files in
      exhibits/.
    - `parameters`: by parameter, the words of its flag.
    - `environments`: by folder of results (figures or tables), the name of the environment in
      envs/.
    - `pages`: further results of the study, neither figures nor tables.
    """

    title: str
    wildcards: Mapping[str, Sequence[str]]
    parameters: Mapping[str, Sequence[str]]
    environments: Mapping[str, str]
    pages: Sequence[str] = ()


def values_by_name(entries, names, key):
    """Words of a flag: `name value` for each of the named entries that has a value under `key`."""
    words = []
    for name in names:
        if key in entries[name]:
            words += [name, entries[name][key]]
    return words


def as_flags(parameter, settings):
    """The settings in a command's parameter as flags.

    For the parameter `settings`: `--settings.kind lexical --settings.max-claims 12`.
    """
    words = []
    for name, value in settings.items():
        words.append(
            f"--{parameter}.{name.replace('_', '-')} {shlex.quote(str(value))}"
        )
    return " ".join(words)


def prompts_csv(name):
    """The file of a prompt set."""
    return repo(f"config/prompts/{name}.csv")


def any_regex(names):
    """A wildcard constraint: one of `names`; without names it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"


def seed_for(*names):
    """A param: the seed of a random draw.

    It is derived from the config's seed and from the names of the draw, with wildcards filled in.
    """

    def seed(wildcards):
        return derive_seed(
            config["seed"], *(name.format(**wildcards) for name in names)
        )

    return seed


@cache
def memory(mb):
    """The resource `mem_mb`: `mb` times the number of the attempt.

    An attempt that failed may have lacked memory.
    """
    return lambda wildcards, attempt: mb * attempt


# The templates of the part that all pages with a verdict share: the answer and its error rates.
VERDICT_ANSWER = [
    repo("mechaware/verdicts/templates/answer.html.j2"),
    repo("mechaware/verdicts/templates/error_rates.html.j2"),
]
# The templates of a page that shows one verdict.
VERDICT_PAGE = [
    repo("mechaware/verdicts/templates/verdict.html.j2"),
    *VERDICT_ANSWER,
    repo("mechaware/core/page.css"),
]


def caption(path):
    """The path of a caption of the report; `path` is relative to this repository."""
    return f"{REPOSITORY}/{path}"


try:
    RESULTS = find_results(REPOSITORY)
    CATALOG = check_config(config, config_schema(REPOSITORY, RESULTS), REPOSITORY)
except UserError as error:
    raise WorkflowError(name_own_files(str(error))) from None
config = CATALOG.config
MODELS = CATALOG.models
JUDGES = CATALOG.judges
PAPERS = CATALOG.papers
OWN_PAPER = CATALOG.own_paper
OWN_JUDGES = CATALOG.own_judges
# The config's settings of figures and, where it sets none, those that the figures' files declare.
config["figures"] = figure_settings(RESULTS, config["figures"])
