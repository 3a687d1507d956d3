"""Turns a function into a command: its parameters are the flags, and its outputs have a provenance record."""

import errno
import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import pandas as pd
import tyro

from mechaware.core.errors import UserError
from mechaware.core.frames import Schema, read_csvs, read_parquets
from mechaware.core.own_folder import name_own_files
from mechaware.core.provenance import check_inputs, sidecar, write_provenance


class Role(Enum):
    """How a command uses a path among its parameters; a path without a role is an input."""

    OUTPUT = "written, with a provenance record"
    SIDE_OUTPUT = "written, without a record: checkpoints, kept replies"


Output = Annotated[Path, Role.OUTPUT]
SideOutput = Annotated[Path, Role.SIDE_OUTPUT]
Function = Callable[..., Any]

# Settings that a step takes as one parameter: a dataclass or a named tuple, whose fields are the flags. With
#
#     def main(*, recipe: Flags[LineRecipe], seed: int, out: Output) -> None:
#
# the flags are --batch-size, --learning-rate, --warmup-steps, --weight-decay, --seed and --out. The record of the
# outputs also has the fields by their own names. Without `Flags` they would be --recipe.batch-size and so on, as the
# fields of `ModelSettings` are: a command may have two models. A file is a parameter of its own, never a field of
# `Flags`: only then is it recorded as an input or an output.
_Settings = TypeVar("_Settings")
_WITHOUT_PREFIX = tyro.conf.arg(name="")
Flags = Annotated[_Settings, _WITHOUT_PREFIX]

# Advice for a disk that cannot be written to. `atomic_write` removes what a command has written in part.
DISK_FAULTS = {
    errno.ENOSPC: "free some space and run again",
    errno.EDQUOT: "free some space and run again",
    errno.EROFS: "make it writable, or run in another folder with --directory",
    errno.EACCES: "change its permissions or its owner, or run in another folder with --directory",
    errno.EPERM: "change its permissions or its owner, or run in another folder with --directory",
}

# torch raises a RuntimeError with these texts, without an errno.
TORCH_COULD_NOT_WRITE = re.compile(
    r"inline_container.*unexpected pos|PytorchStreamWriter failed writing"
)


def run(main: Function, arguments: Sequence[str] | None = None, *, step: str | None = None) -> None:
    """Parse the command line into the keyword-only parameters of `main`, run it, and write the records of its outputs.

    Inputs that have records are checked against them first. Parameters that are neither inputs nor outputs are config
    leaves or seeds; those of type `Flags[...]` are several leaves. A `UserError` ends the command with one line, and so
    do Ctrl-C and a disk that is full or read-only.

    Args:
        main: The step. If it makes a model, it returns the model's description for the record; if several, a list.
        arguments: The command line; default: that of this process.
        step: The name of the step in the records; default: the file of `main`.
    """
    hints = get_type_hints(main, include_extras=True)
    roles = {name: _role(hint) for name, hint in hints.items()}
    step = step or Path(inspect.getfile(main)).stem

    @functools.wraps(main)
    def recorded(**values: object) -> None:
        leaves: dict[str, object] = {}
        input_paths: list[Path] = []
        output_paths: list[Path] = []
        for name, value in values.items():
            paths = list(_paths(value))
            if roles[name] is Role.SIDE_OUTPUT:
                continue  # without a record
            if roles[name] is Role.OUTPUT:
                output_paths += paths
            elif paths:
                input_paths += paths
            elif is_flags(hints[name]):
                leaves |= {field: getattr(value, field) for field in field_names(type(value))}
            else:
                leaves[name] = _as_record(value)

        inputs = check_inputs(input_paths)
        made = main(**values) or []
        models = made if isinstance(made, list) else [made]

        outputs_of_record: dict[Path, list[Path]] = {}  # a result in several forms has one record
        for path in output_paths:
            outputs_of_record.setdefault(sidecar(path), []).append(path)
        for written in outputs_of_record.values():
            write_provenance(*written, step=step, parameters=leaves, inputs=inputs, models=models)

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


def _disk_fault(error: Exception) -> str | None:
    """The disk's fault behind `error`, and advice; None for other errors. Rust libraries put the errno in the text."""
    rust_error = re.search(r"\(os error (\d+)\)", str(error))
    number = int(rust_error[1]) if rust_error else getattr(error, "errno", None)
    if TORCH_COULD_NOT_WRITE.search(str(error)):
        return "torch could not write its file; the disk is probably full: free some space and run again"
    if number not in DISK_FAULTS:
        return None
    advice = f"{os.strerror(number)}; {DISK_FAULTS[number]}"
    if number not in (errno.EACCES, errno.EPERM) or rust_error:
        return advice
    # Permissions belong to one file. A Rust error never has its name, so the advice stands alone. A Python error
    # without a name is not about the disk: a firewall also gives EACCES and EPERM.
    path = getattr(error, "filename", None)
    return f"{path}: {advice}" if path else None


def run_result(function: str, save: Function) -> None:
    """Run the command of a figure or a table: its module, then the flags of the module's `function` and of `save`.

    Tables are read from the files that their flags name, by the schema in the function's signature; `save` is given
    what the function returns, and the remaining flags.
    """
    name, *arguments = sys.argv[1:] or sys.exit(f"usage: {Path(sys.argv[0]).name} MODULE FLAGS")
    run(
        _result_command(import_module(name), function, save),
        arguments,
        step=name.rpartition(".")[2],
    )


def _result_command(module: ModuleType, function: str, save: Function) -> Function:
    """A function with the parameters of the module's `function`, tables as paths, and the outputs of `save`."""
    draw_or_fill = getattr(module, function)
    hints = get_type_hints(draw_or_fill, include_extras=True)
    # Read from the signature, so that a figure's or a table's file declares its flags nowhere else.
    inputs = {name: hints[name] for name in inspect.signature(draw_or_fill).parameters}
    _, *names = inspect.signature(save).parameters
    outputs = {name: get_type_hints(save, include_extras=True)[name] for name in names}

    def command(**values: Any) -> None:
        read = {name: _read(values[name], hint) for name, hint in inputs.items()}
        save(draw_or_fill(**read), **{name: values[name] for name in outputs})

    flags: dict[str, Any] = {}
    for name, hint in inputs.items():
        flags[name] = list[Path] if _is_table(hint) else hint
    flags |= outputs
    keyword = inspect.Parameter.KEYWORD_ONLY
    # tyro makes the flags from this signature: `command` itself takes any keywords.
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, keyword, annotation=hint) for name, hint in flags.items()]
    )
    command.__annotations__ = flags
    command.__doc__ = module.__doc__
    return command


def _is_table(hint: object) -> bool:
    """Whether a parameter is a table: `pd.DataFrame`, or `Annotated[pd.DataFrame, SCHEMA]`."""
    return hint is pd.DataFrame or pd.DataFrame in get_args(hint)


def _read(value: Any, hint: object) -> Any:
    """A flag's value as the function takes it: paths of tables are read, CSVs by the schema in the hint."""
    if not _is_table(hint):
        return value
    schema = next((part for part in get_args(hint) if isinstance(part, Schema)), None)
    return read_parquets(value) if schema is None else read_csvs(value, schema)


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
    """A parameter as a record has it: settings that are a named tuple by the names of their fields."""
    as_dict: Callable[[], object] | None = getattr(value, "_asdict", None)
    return value if as_dict is None else as_dict()


def _paths(value: object) -> Iterator[Path]:
    """The paths in a parameter: the parameter itself, or those in a list or tuple."""
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, Path):
            yield item
