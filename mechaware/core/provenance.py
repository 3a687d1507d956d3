"""The provenance record next to each result: the commit, config leaves, models, seeds, packages and
machines behind it.

The record holds the fingerprints of the result's own files, so that a later step detects a damaged
file. This module writes records, then checks inputs against their records.
"""

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256
from mechaware.core.git_repository import REPOSITORY, git_state, installed_version

# Packages that can change a result when they change.
PACKAGES = (
    "torch",
    "transformers",
    "safetensors",
    "scikit-learn",
    "skops",
    "numpy",
    "scipy",
    "pandas",
    "matplotlib",
    "seaborn",
    "pypdf",
    "pypdfium2",
    "trafilatura",
    "json-repair",
    "rapidfuzz",
    "pydantic",
    "litellm",
    "xllamacpp",
    "typst",
)


def sidecar(output: Path) -> Path:
    """The path of the record of `output`: `x.csv` -> `x.provenance.json`,
    folder `m` -> `m.provenance.json`.
    """
    stem = output.name if output.is_dir() else output.stem
    return output.with_name(f"{stem}.provenance.json")


def write_provenance(
    output: Path,
    *others: Path,
    step: str,
    parameters: Mapping[str, Any],
    inputs: Mapping[Path, str | None],
    models: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Write the record of `output`. It includes the steps, models and machines in the records of
    its `inputs`, so that the record of a figure names everything that led to it.

    The paths of the output and its inputs are relative to the working directory or the repository
    (`relative_name`). The paths of the output's own files, whose fingerprints are `files`, are
    relative to the record's folder.

    Args:
        output: A file or a folder.
        others: The output in other forms, such as `x.png` for `x.pdf`; they share the record.
        step: The rule.
        parameters: The config leaves and seeds of the rule.
        inputs: Each input with its fingerprint, taken by `check_inputs` before the step read it;
            None for a folder, which has a record of its own.
        models: The model folders that the step makes (name, kind, source, revision, SHA-256 of the
            weights).
    """
    steps = [{"step": step, "parameters": dict(parameters)}]
    all_models = [dict(model) for model in models]
    machines = {this_machine()}
    for path in inputs:
        record_of_input = _record_of(path)
        if record_of_input is not None:
            upstream = _read(record_of_input)
            steps += upstream["steps"]
            all_models += upstream["models"]
            machines.update(upstream.get("machines", []))  # older records lack the key

    fingerprints = {}
    for path, fingerprint in sorted(inputs.items()):
        if fingerprint:
            fingerprints[relative_name(path)] = fingerprint

    files = {}
    for path in _files(output, *others):
        files[path.relative_to(output.parent).as_posix()] = sha256(path)

    versions = {name: installed_version(name) for name in PACKAGES}

    record = {
        "output": relative_name(output),
        "files": files,
        "git": git_state(),
        # Steps that several inputs share are listed once, and sorted: equal results have equal
        # records.
        "steps": _distinct(steps),
        "models": _distinct(all_models),
        "machines": sorted(machines),
        "inputs": fingerprints,
        "packages": {name: version for name, version in versions.items() if version},
    }
    text = json.dumps(record, indent=2, sort_keys=True, default=str)
    with atomic_write(sidecar(output)) as partial:
        partial.write_text(text + "\n", encoding="utf-8")


def this_machine() -> str:
    """The machine in words, with the GPU if this process computes on one:
    `2 CPU cores, x86_64, Linux`.
    """
    words = [f"{os.cpu_count()} CPU cores", platform.machine(), platform.system()]
    torch = sys.modules.get("torch")  # a step that has not imported it computes on no GPU
    if torch is not None and torch.cuda.is_initialized():
        words.append(torch.cuda.get_device_name())
    return ", ".join(words)


def machines_of(output: Path) -> list[str]:
    """The machines that made a result and all that led to it, as its record names them."""
    machines: list[str] = _read(sidecar(output)).get("machines", [])
    return machines


def check_inputs(inputs: list[Path]) -> dict[Path, str | None]:
    """The fingerprint of each input; None for a folder or a missing input.

    If an input is in `results/` of the working directory and has a record, its files must have the
    fingerprints in the record. Elsewhere records are ignored: a user's own folder is not a result,
    even with a record next to it.

    Raises:
        UserError: A file that has a record is missing, has another fingerprint, or its record
            cannot be read.
    """
    fingerprints = {}
    for path in inputs:
        if path not in fingerprints:
            fingerprints[path] = sha256(path) if path.is_file() else None

    working_folder = Path.cwd()
    for path, fingerprint in fingerprints.items():
        _check_against_record(path.absolute(), fingerprint, working_folder)
    return fingerprints


def _check_against_record(path: Path, fingerprint: str | None, working_folder: Path) -> None:
    """Raise `UserError` unless an input has the fingerprints in its record;
    a folder has one for each of its files.
    """
    if not path.is_relative_to(working_folder / "results"):
        return
    record = _record_of(path)
    if record is None:
        return

    folder = record.parent
    for name, recorded in _read(record).get("files", {}).items():  # older records lack the key
        file = folder / name
        is_of_input = path in (file, *file.parents)
        if not is_of_input:
            continue

        # An input that is a folder has no fingerprint of its own; only its files have one.
        if not file.is_file() or (fingerprint or sha256(file)) != recorded:
            shown = file.relative_to(working_folder)
            result = (folder / Path(name).parts[0]).relative_to(working_folder)
            raise UserError(
                f"{shown}: damaged, or changed since it was made; delete {result} and run again"
            )


def _files(*outputs: Path) -> list[Path]:
    """The files among the outputs and in folders among them, sorted by path."""
    files = []
    for output in outputs:
        for path in (output, *output.rglob("*")):
            if path.is_file():
                files.append(path)
    return sorted(files)


def _read(record: Path) -> Any:
    """The content of a record. Raises `UserError` for a damaged one."""
    try:
        content = json.loads(record.read_text(encoding="utf-8"))
        has_keys = {"steps", "models"} <= content.keys()
        if has_keys and isinstance(content.get("files", {}), dict):
            return content
    except (ValueError, AttributeError):  # not JSON, or no object: refused below
        pass

    result = record.name.removesuffix(".provenance.json")
    raise UserError(
        f"{relative_name(record)}: damaged; delete it and the result that it is of, {result}, and run again"
    )


def _record_of(path: Path) -> Path | None:
    """The record of an input: its own, else the record of a folder that holds it;
    None for a source file.
    """
    candidates = [sidecar(path)]
    for folder in path.absolute().parents:
        candidates.append(folder.parent / f"{folder.name}.provenance.json")
    return next((record for record in candidates if record.exists()), None)


def relative_name(path: Path) -> str:
    """`path` relative to the working directory or the repository;
    elsewhere its name, which identifies no machine.
    """
    resolved = path.resolve()
    for base in (Path.cwd(), REPOSITORY):
        if resolved.is_relative_to(base):
            return resolved.relative_to(base).as_posix()
    return path.name


def _distinct(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries without repetitions, sorted by their JSON."""
    by_text = {json.dumps(entry, sort_keys=True, default=str): entry for entry in entries}
    return [by_text[text] for text in sorted(by_text)]
