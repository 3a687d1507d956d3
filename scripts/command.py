"""Turns a function into a command: parameters become flags, outputs get provenance records."""

import errno
import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import tyro

from mechaware.core.errors import UserError
from mechaware.core.own_folder import name_own_files
from mechaware.core.provenance import check_inputs, sidecar, write_provenance


class Role(Enum):
    """How a command uses a path among its parameters; a path without a role is an input."""

    OUTPUT = "written, with a provenance record"
    SIDE_OUTPUT = "written, without a record: checkpoints, kept replies"


Output = Annotated[Path, Role.OUTPUT]
SideOutput = Annotated[Path, Role.SIDE_OUTPUT]
Function = Callable[..., Any]

# Settings that a step takes as one parameter: a dataclass or a named tuple, whose fields are the
# flags. With
#
#     def main(*, recipe: Flags[LineRecipe], seed: int, out: Output) -> None:
#
# the flags are --batch-size, --learning-rate, --warmup-steps, --weight-decay, --seed and --out. The
# record of the outputs also has the fields by their own names. Without `Flags` they would be
# --recipe.batch-size and so on, as the fields of `ModelSettings` are: a command may have two
# models. A file is a parameter of its own, never a field of `Flags`: only then is it recorded as an
# input or an output.
_Settings = TypeVar("_Settings")
_WITHOUT_PREFIX = tyro.conf.arg(name="")
Flags = Annotated[_Settings, _WITHOUT_PREFIX]

# Advice for a disk that cannot be written to, by errno. `atomic_write` removes what a command has
# written in part.
_DISK_ADVICE = {
    errno.ENOSPC: "free some space and run again",
    errno.EDQUOT: "free some space and run again",
    errno.EROFS: "make it writable, or run in another folder with --directory",
    errno.EACCES: "change its permissions or its owner, or run in another folder with --directory",
    errno.EPERM: "change its permissions or its owner, or run in another folder with --directory",
}

# torch raises a RuntimeError with these texts, without an errno.
_TORCH_COULD_NOT_WRITE = re.compile(
    r"inline_container.*unexpected pos|PytorchStreamWriter failed writing"
)


def run(main: Function, arguments: Sequence[str] | None = None, *, step: str | None = None) -> None:
    """Parse the command line into the keyword-only parameters of `main`, run it, and write records.

    Inputs that have records are checked against them first. Every `Output` gets a record, with the
    inputs and with the leaves: parameters that are neither inputs nor outputs, which are values of
    the config or seeds. A `UserError` ends the command with one line, and so do Ctrl-C and a disk
    that is full or read-only.

    Args:
        main: The step. If it makes a model, it returns the model's description for the record; if
            several, a list.
        arguments: The command line; default: that of this process.
        step: The name of the step in the records; default: the file of `main`.
    """
    hints = get_type_hints(main, include_extras=True)
    step = step or Path(inspect.getfile(main)).stem

    @functools.wraps(main)
    def recorded(**values: object) -> None:
        parameters = _by_use(values, hints)
        inputs = check_inputs(parameters.inputs)
        description = main(**values) or []
        models = description if isinstance(description, list) else [description]

        # A result in several forms, such as x.pdf and x.png, has one record.
        outputs_of_record: dict[Path, list[Path]] = {}
        for path in parameters.outputs:
            outputs_of_record.setdefault(sidecar(path), []).append(path)
        for outputs in outputs_of_record.values():
            write_provenance(
                *outputs, step=step, parameters=parameters.leaves, inputs=inputs, models=models
            )

    try:
        tyro.cli(recorded, args=arguments)
    except UserError as error:
        sys.exit(f"error: {name_own_files(str(error))}")
    except KeyboardInterrupt:
        sys.exit(f"error: {step}: interrupted; run again to go on")
    except Exception as error:
        fault = _disk_fault(error)
        if fault is not None:
            sys.exit(f"error: {step}: {fault}")
        raise


class _Parameters(NamedTuple):
    """The parameters of a command, by their use in its records.

    - `inputs`, `outputs`: the paths. A side output is neither.
    - `leaves`: all other values, by name. Those of a `Flags[...]` have the names of its fields.
    """

    inputs: list[Path]
    outputs: list[Path]
    leaves: dict[str, object]


def _by_use(values: Mapping[str, object], hints: Mapping[str, object]) -> _Parameters:
    """The parameters, by the roles in their types. An empty list of inputs counts as a leaf."""
    parameters = _Parameters(inputs=[], outputs=[], leaves={})
    for name, value in values.items():
        role = _role(hints[name])
        paths = list(_paths(value))
        if role is Role.SIDE_OUTPUT:
            continue
        if role is Role.OUTPUT:
            parameters.outputs.extend(paths)
        elif paths:
            parameters.inputs.extend(paths)
        elif is_flags(hints[name]):
            for field in field_names(type(value)):
                parameters.leaves[field] = getattr(value, field)
        else:
            parameters.leaves[name] = _as_record(value)
    return parameters


def _role(hint: object) -> Role | None:
    """The role in a type such as `Output` or `list[Output]`."""
    if isinstance(hint, Role):
        return hint
    return next((role for role in map(_role, get_args(hint)) if role), None)


def is_flags(hint: object) -> bool:
    """Whether a parameter's type is `Flags[...]`."""
    return _WITHOUT_PREFIX in get_args(hint)


def field_names(settings: Any) -> tuple[str, ...]:
    """The fields of a dataclass or of a named tuple, in their order."""
    if is_dataclass(settings):
        return tuple(field.name for field in fields(settings))
    names: tuple[str, ...] = settings._fields
    return names


def _as_record(value: object) -> object:
    """A parameter as a record has it: the settings in a named tuple by the names of its fields."""
    as_dict: Callable[[], object] | None = getattr(value, "_asdict", None)
    return value if as_dict is None else as_dict()


def _paths(value: object) -> Iterator[Path]:
    """The paths in a parameter: the parameter itself, or those in a list or tuple."""
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, Path):
            yield item


def _disk_fault(error: Exception) -> str | None:
    """The disk's fault behind `error`, and advice; None for other errors."""
    if _TORCH_COULD_NOT_WRITE.search(str(error)):
        return (
            "torch could not write its file; the disk is probably full: "
            "free some space and run again"
        )
    # An error of a Rust library has its errno only in its text: "... (os error 28)".
    in_text = re.search(r"\(os error (\d+)\)", str(error))
    number = int(in_text[1]) if in_text else getattr(error, "errno", None)
    if number not in _DISK_ADVICE:
        return None

    fault = f"{os.strerror(number)}; {_DISK_ADVICE[number]}"
    is_of_permissions = number in (errno.EACCES, errno.EPERM)
    if in_text or not is_of_permissions:
        return fault
    # Permissions belong to one file. A Rust error never has its name, so the advice stands alone
    # above. A Python error without a name is not about the disk: a firewall also gives EACCES and
    # EPERM.
    path = getattr(error, "filename", None)
    return f"{path}: {fault}" if path else None
