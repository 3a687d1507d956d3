"""What the rules share: the checked config and lists, and functions; no rules."""

import ast
import gc
import hashlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mechaware.config_check import checked_lists
from mechaware.files import sha256
from mechaware.own_package import package_folder
from mechaware.report.results import figure_settings, find_results
from mechaware.seeds import derive_seed

# Exclude the imported modules from garbage collection; saves 0.2 s a dry run.
gc.freeze()

# Commands find the library in any environment and from any working directory.
shell.prefix(f"export PYTHONPATH={shlex.quote(str(REPOSITORY))} PYTHONHASHSEED=0; ")


@cache
def repo(path):
    """A file of this repository, relative to the working directory: the same string in every checkout."""
    return os.path.relpath(REPOSITORY / path)


# The folders that hold the packages whose files are fingerprinted, also the user's own that `code` is given.
PACKAGES = {"mechaware": REPOSITORY, "scripts": REPOSITORY}


@cache
def code(*scripts, own=()):
    """A param: a fingerprint of the scripts and of every file of this repository that they import, directly or not.

    `own` are dotted names in the user's own package, whose files count as well, or a function of the wildcards that
    returns them. An edit of one changes it, so that what uses the file is made anew; touching a file changes nothing. As inputs, some
    forty files a job would fill a run's messages, and take a third of the time of a long dry run.
    """
    if callable(own):
        return lambda wildcards: code(*scripts, own=own(wildcards))
    found, pending = set(), [REPOSITORY / script for script in scripts]
    for name in own:
        PACKAGES.setdefault(name.partition(".")[0], package_folder(name))
        pending.extend(module_files(name))
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending.extend(imported_files(path))
    parts = (
        f"{path.relative_to(folder_of(path))} {fingerprint(path)}\n"
        for path in sorted(found)
    )
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


@cache
def imported_files(path):
    """The files of this repository that importing a Python file runs; each file is read once for all scripts."""
    return [file for module in imported_modules(path) for file in module_files(module)]


fingerprint = cache(sha256)  # of a file that many scripts import

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t].*?[ \t]import[ \t]*(?:\([^)]*\)|.*)|import[ \t].*)",
    re.MULTILINE,
)


def imported_modules(path):
    """Dotted names that a Python file imports; of `from a import b` both a and a.b, since b may be a module."""
    packages = path.relative_to(folder_of(path)).parts
    for node in import_statements(path.read_text()):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A relative import, as a user's own package may have, begins so many packages up.
            start = packages[: -node.level] if node.level else ()
            name = ".".join([*start, *filter(None, [node.module])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


@cache
def folder_of(path):
    """The innermost folder of `PACKAGES` that holds a file."""
    folders = filter(path.is_relative_to, PACKAGES.values())
    return max(folders, key=lambda folder: len(folder.parts))


def import_statements(source):
    """The import statements of Python source at any depth, perhaps among other nodes.

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
    """The files of `PACKAGES` that importing `module` runs: its own and its packages'."""
    parts = module.split(".")
    folder = PACKAGES.get(parts[0])
    if folder is None:
        return []
    stems = [folder.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]
    files = [
        path
        for stem in stems
        for path in (stem.with_suffix(".py"), stem / "__init__.py")
    ]
    return [path for path in files if path.exists()]


class Study(NamedTuple):
    """What a study adds to its figures and tables: values of wildcards, flags, environments."""

    title: str  # its category in the report
    wildcards: Mapping[str, Sequence[str]]  # in READS
    given: Mapping[str, Sequence[str]]  # parameter -> words of its flag
    environments: Mapping[str, str]  # folder of results -> name in envs/
    pages: Sequence[str] = ()  # results that are no figure and no table


def values_by_name(entries, names, key):
    """Words of a flag: `name value` for each of the named entries that has the key."""
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
    """A wildcard constraint: one of `names`; without names it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"


def seed_for(*names):
    """A param: the seed of a random draw, derived from the config's seed and the draw's name, wildcards filled in."""

    def seed(wildcards):
        return derive_seed(
            config["seed"], *(name.format(**wildcards) for name in names)
        )

    return seed


@cache
def memory(mb):
    """The resource `mem_mb`: `mb`, and as much again at each further attempt, since the last may have run out of it."""
    return lambda wildcards, attempt: mb * attempt


def caption(path):
    """A caption for the report, from its path in this repository."""
    return f"{REPOSITORY}/{path}"


try:
    RESULTS = find_results(REPOSITORY)
    MODELS, JUDGES, PAPERS, BENCHMARKS, OWN_PAPER = checked_lists(
        config, RESULTS, REPOSITORY
    )
except UserError as error:
    raise WorkflowError(str(error)) from None
# The settings that the figures' files declare, where the config does not set them.
config["figures"] = figure_settings(RESULTS, config["figures"])
