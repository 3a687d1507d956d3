"""Opens a judge by its settings."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from mechaware.claims.judges.judge import Judge, JudgeFiles
from mechaware.claims.judges.kinds import KINDS, kind_named
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.errors import UserError


def open_judge(
    settings: JudgeSettings, *, prompts: Sequence[Path], responses: Path, weights: Sequence[Path]
) -> AbstractContextManager[Judge]:
    """The judge of these settings, to be used in a `with` statement.

    `prompts` are the files of one version; `responses` holds a folder of stored replies for each judge; `weights` is
    the GGUF file of an embedded judge, or empty. The server of an embedded judge runs from the first call that the
    stored replies do not answer until the context ends.
    Raises `UserError` for a kind that does not exist, or that cannot be imported from the user's own package.
    """
    if "." not in settings.kind and settings.kind not in KINDS:
        raise UserError(f"judge {settings.name}: no kind '{settings.kind}'; write {' or '.join(KINDS)}")
    files = JudgeFiles(prompts, responses / settings.name, next(iter(weights), None))
    return kind_named(settings.kind).open(settings, files)
