"""The kinds of judges: how each is opened, and what the workflow must know of it before that."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.own_package import load_object
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings

if TYPE_CHECKING:
    from mechaware.instruments.claims.judges.judge import Judge


class Kind(NamedTuple):
    """One kind of judge.

    - `open`: opens a judge of this kind, for a `with` statement.
    - `over_network`: whether such a judge asks a provider, which may cost money. It then runs where
      the network is, on a cluster on the login node, and its trust is measured only if the config
      names it.
    - `local_model`: whether such a judge computes for minutes per paper, with the GGUF weights of a
      model of config/models.yaml. It then reads fewer planted papers.
    - `by_rules`: whether such a judge gives the same reply in each run.

    Of a kind in the user's own package only `open` is used: until its jobs run nothing else is
    known of it, and it counts as `over_network`, as it may ask a provider.
    """

    open: Callable[[JudgeSettings, JudgeFiles], AbstractContextManager["Judge"]]
    over_network: bool = False
    local_model: bool = False
    by_rules: bool = False


# Each function imports its judge itself: every dry run imports this module, and opens no judge.
def _language_model(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    from mechaware.instruments.claims.judges.language_model.judge import open_language_model_judge

    return open_language_model_judge(settings, files)


def _lexical(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    from mechaware.instruments.claims.judges.lexical import open_lexical_judge

    return open_lexical_judge(settings, files)


def _of_own_package(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    """A judge of a kind in the user's own package: `settings.kind` is a `Kind`'s dotted name."""
    return load_object(settings.kind, Kind).open(settings, files)


KINDS: Mapping[str, Kind] = {
    "provider": Kind(_language_model, over_network=True),
    "embedded": Kind(_language_model, local_model=True),
    "lexical": Kind(_lexical, by_rules=True),
}
# Any kind in the user's own package, before its jobs run.
_OWN = Kind(_of_own_package, over_network=True)


def kind_named(name: str) -> Kind:
    """The kind of this name: a key of `KINDS`, or a dotted name in the user's own package.

    Raises `KeyError` for another name without a dot. A dotted name is not looked up here.
    """
    return _OWN if "." in name else KINDS[name]


def open_judge(
    settings: JudgeSettings,
    *,
    prompts: Sequence[Path],
    responses: Path,
    weights: Sequence[Path],
    item_prompts: Sequence[Path] = (),
) -> AbstractContextManager["Judge"]:
    """The judge of these settings, to be used in a `with` statement.

    The server of an embedded judge runs from the first call that the stored replies do not answer
    until the `with` statement ends.

    Args:
        settings: The judge's entry in config/judges.yaml.
        prompts: The files of one version of the prompts, config/judge_prompts/v1 for example.
        responses: A folder, with a folder of stored replies for each judge.
        weights: The GGUF file of an embedded judge; empty for other judges.
        item_prompts: The templates of `judge_passages`, if the judge is asked about items.

    Raises:
        UserError: For a kind that does not exist, or that cannot be imported from the user's own
            package.
    """
    if "." not in settings.kind and settings.kind not in KINDS:
        raise UserError(
            f"judge {settings.name}: no kind '{settings.kind}'; write {' or '.join(KINDS)}"
        )
    files = JudgeFiles(
        prompts=prompts,
        responses=responses / settings.name,
        weights=next(iter(weights), None),
        item_prompts=item_prompts,
    )
    return kind_named(settings.kind).open(settings, files)
