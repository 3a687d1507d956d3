"""One file for each architecture of transformers: where its modules lie and how its blocks compute."""

import re
from pathlib import Path

from mechaware.core.errors import UserError


def check_model_type(model_type: str | None) -> None:
    """Raise `UserError` unless a file of this folder declares a family with this `model_type`.

    The files are read as text: importing one loads torch, which the check of a config must not.
    """
    files = sorted(Path(__file__).parent.glob("*.py"))
    texts = (file.read_text(encoding="utf-8") for file in files)
    supported = [name for text in texts for name in re.findall(r'\bmodel_type="(\w+)"', text)]
    if model_type not in supported:
        raise UserError(
            f"model type '{model_type}': supported are {', '.join(supported)}; choose a model of one of these "
            f"families, or add the family to {__name__}.supported"
        )
