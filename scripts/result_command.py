"""Turns the module of a figure or a table into a command."""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pandas as pd

from mechaware.core.frames import Schema, read_csvs, read_parquets
from scripts.command import Function, run


def run_result(function: str, save: Function) -> None:
    """Run the command of a figure or a table: `MODULE FLAGS`.

    The flags are the parameters of the module's `function`, which makes the figure or the table,
    and those of `save`, which writes it. A parameter that is a table has the paths of files as its
    flag: they are read as one table, by the schema in the function's signature.

    Args:
        function: The name of the module's function: `draw` or `fill`.
        save: Takes what the function returns, and the paths to write it to.
    """
    name, *arguments = sys.argv[1:] or sys.exit(f"usage: {Path(sys.argv[0]).name} MODULE FLAGS")
    command = _result_command(import_module(name), function, save)
    run(command, arguments, step=name.rpartition(".")[2])


def _result_command(module: ModuleType, function: str, save: Function) -> Function:
    """A function with the parameters of `run_result`'s flags, which makes and saves the result."""
    draw_or_fill = getattr(module, function)
    # Read from the signature, so that a figure's or a table's file declares its flags nowhere else.
    hints = get_type_hints(draw_or_fill, include_extras=True)
    inputs = {name: hints[name] for name in inspect.signature(draw_or_fill).parameters}
    # The first parameter of `save` is the figure or the table.
    _, *output_names = inspect.signature(save).parameters
    save_hints = get_type_hints(save, include_extras=True)
    outputs = {name: save_hints[name] for name in output_names}

    def command(**values: Any) -> None:
        read_values = {name: _read(values[name], hint) for name, hint in inputs.items()}
        paths = {name: values[name] for name in outputs}
        save(draw_or_fill(**read_values), **paths)

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
    """A flag's value as the function takes it: paths of tables are read, CSVs by their schema."""
    if not _is_table(hint):
        return value
    schema = next((part for part in get_args(hint) if isinstance(part, Schema)), None)
    return read_parquets(value) if schema is None else read_csvs(value, schema)
