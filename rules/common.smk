"""What the rules share: the checked config and lists, and functions; no rules."""

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
    """A file of this repository, by its path there.

    Installed, the library lies one folder above the rest (setup.py).
    """
    return (LIBRARY if Path(path).parts[0] == "mechaware" else REPOSITORY) / path


@cache
def repo(path):
    """A file of this repository, relative to the working directory: the same in each checkout."""
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


# Next to the records of Snakemake, since both are about the files as a run has read them.
DIGESTS = Digests(Path(".snakemake/mechaware_digests.json"))


def contents_of(*inputs):
    """A param: a fingerprint of what input files hold: other content reruns the rule.

    Snakemake compares dates. A file that was replaced by another with an older date, as `cp -p`,
    `rsync -t`, `mv` and `unzip` do, would count as unchanged.

    `inputs` are given as a rule gives its inputs: paths with wildcards, lists of paths, functions
    of the wildcards.
    """

    def contents(wildcards):
        lines = []
        # A line for each input: the same files in other places are other inputs.
        for entry in inputs:
            paths = input_paths(entry, wildcards)
            lines.append(" ".join(content_of(path) for path in paths))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    return contents


def input_paths(entry, wildcards):
    """The paths of an entry of `contents_of`."""
    if callable(entry):
        paths = entry(wildcards)
        return [paths] if isinstance(paths, str) else paths
    patterns = [entry] if isinstance(entry, str) else entry
    return [pattern.format(**wildcards) for pattern in patterns]


def content_of(path):
    """The digest of an input file, or the path of a result.

    A result needs no digest: the job that makes it anew also reruns what reads it.
    """
    results = os.path.abspath("results")
    is_result = Path(os.path.abspath(path)).is_relative_to(results)
    return path if is_result else DIGESTS.of(Path(path))


def records(paths):
    """The provenance records next to the files, without duplicates."""
    return sorted({str(Path(path).with_suffix(".provenance.json")) for path in paths})


def recorded(**outputs):
    """An output: the files, by name, and their records as `provenance`; the command writes both."""
    paths = []
    for value in outputs.values():
        paths += [value] if isinstance(value, str) else value
    return {**outputs, "provenance": records(paths)}


def messages_of_failed_commands(since):
    """The name and the last line of each log that a failed command wrote since a time.

    A command that fails ends its log with `error: ...`, or with the last line of a traceback.
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
    """What a study adds to its figures and tables: values of wildcards, flags, environments."""

    title: str  # its category in the report
    wildcards: Mapping[str, Sequence[str]]  # in READS
    parameters: Mapping[str, Sequence[str]]  # parameter -> words of its flag
    environments: Mapping[str, str]  # folder of results -> name in envs/
    pages: Sequence[str] = ()  # results that are no figure and no table


def values_by_name(entries, names, key):
    """Words of a flag: `name value` for each of the named entries that has the key."""
    words = []
    for name in names:
        if key in entries[name]:
            words += [name, entries[name][key]]
    return words


def as_flags(parameter, settings):
    """The settings in a command's parameter as flags.

    For instance: `--settings.kind lexical --settings.max-claims 12`.
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
    """The resource `mem_mb`: `mb` times the attempt, since the last one may have lacked memory."""
    return lambda wildcards, attempt: mb * attempt


# The templates of the part on a verdict that every page has.
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
    """A caption for the report, from its path in this repository."""
    return f"{REPOSITORY}/{path}"


try:
    RESULTS = find_results(REPOSITORY)
    config, MODELS, JUDGES, PAPERS, OWN_PAPER, OWN_JUDGES = check_config(
        config, config_schema(REPOSITORY, RESULTS), REPOSITORY
    )
except UserError as error:
    raise WorkflowError(name_own_files(str(error))) from None
# The settings that the figures' files declare, where the config does not set them.
config["figures"] = figure_settings(RESULTS, config["figures"])
