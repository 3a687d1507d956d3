"""What every judge can do, whatever its kind, and how it fails."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from mechaware.claims.rubric.records import Claim, Downgrade, PaperText, Run, Usage


class Unscored(Exception):  # noqa: N818 - an outcome, not a mistake
    """No usable reply came of a call. `kind` is for tables, the message for people.

    Kinds: cut (at the token limit), empty, refused (by a content filter), invalid (no JSON, or not what was asked for),
    context (the prompt is too long for the model), too long (the paper, for the judge's settings), no claims (the
    paper's opening has no whole sentence).
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class JudgeFiles(NamedTuple):
    """The files of a judge: the prompts of one version, the folder of stored replies, and an embedded model's GGUF."""

    prompts: Sequence[Path]
    responses: Path
    weights: Path | None


@runtime_checkable
class Judge(Protocol):
    """Judges a paper, and takes a second look at its own claims without the paper."""

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One independent run over a paper; what fails is unscored in it."""

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One independent run over given claims, which keep their order and all but their criteria.

        Their criteria are ignored. If the text has a fault, the run has it, and no claims.
        """

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The downgrades that the leak audit proposes (section 3.5). Raises `Unscored`."""

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """The downgrades that the devil's advocate proposes (section 3.8). Raises `Unscored`."""

    def take_usage(self) -> Usage:
        """The calls since this was last called."""
