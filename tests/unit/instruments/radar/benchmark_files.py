"""Files of benchmarks for tests."""

from pathlib import Path

HEADER = "id,question,answer,seen\n"


def write_file(folder: Path, content: str | bytes, name: str = "items.csv") -> Path:
    """A file of this content in `folder`."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
