"""Link a model folder of the user's into the results."""

from dataclasses import asdict
from pathlib import Path

from mechaware.models.sources import link_local_model
from scripts.command import Output


def main(*, name: str, folder: Path, adapter: list[Path], out: Output) -> dict[str, object]:
    """Check the model in `folder` and link its files, and those of an adapter or none,
    into the folder `out`.
    """
    adapter_folder = adapter[0] if adapter else None
    return asdict(link_local_model(folder, out, name=name, adapter=adapter_folder))
