"""Convert a GGUF file to a model folder of safetensors."""

from dataclasses import asdict
from pathlib import Path

from mechaware.models.sources import convert_gguf
from scripts.command import Output


def main(*, gguf: Path, name: str, package: str, version: str, out: Output) -> dict[str, object]:
    """Write the model and tokenizer in `gguf` to the folder `out`."""
    return asdict(convert_gguf(gguf, out, name=name, source=package, revision=version))
