"""Turns a `main` function into a command whose flags are its parameters, and whose output has a provenance record."""

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import tyro

from mechaware.errors import UserError
from mechaware.provenance import write_provenance

OUTPUTS = ("out", "tex", "png", "checkpoints", "responses", "truths")


def run(main: Callable[..., dict[str, object] | None]) -> None:
    """Parse the command line into `main`'s keyword-only parameters, run it, and write the record beside each `--out`.

    Paths are inputs, but for those named in `OUTPUTS`; all other arguments are config leaves or seeds. A `main` that
    makes a model returns its description for the record. A `UserError` ends the command with its one line.
    """

    @functools.wraps(main)
    def recorded(**arguments: object) -> None:
        made = main(**arguments)
        paths = {name: _paths(value) for name, value in arguments.items()}
        inputs = [path for name, listed in paths.items() if name not in OUTPUTS for path in listed]
        parameters = {name: value for name, value in arguments.items() if not paths[name] and name not in OUTPUTS}
        step = Path(inspect.getfile(main)).stem
        for output in paths["out"]:
            write_provenance(output, step=step, parameters=parameters, inputs=inputs, model=made)

    try:
        tyro.cli(recorded)
    except UserError as error:
        sys.exit(f"error: {error}")


def _paths(value: object) -> list[Path]:
    values = value if isinstance(value, list | tuple) else [value]
    return [item for item in values if isinstance(item, Path)]
