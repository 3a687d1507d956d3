"""Files that have the names of modules."""

from pathlib import Path

# Python imports `types` and `functools` before it runs any file, and numpy and pandas are
# installed.
SHADOWS = ("types", "functools", "random", "csv", "numpy/__init__", "pandas")


def write_shadows(folder: Path, *more: str) -> None:
    """Files named as modules that the commands import, each of which ends the command."""
    for name in (*SHADOWS, *more):
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("raise SystemExit('imported: ' + __file__)\n")
