"""The kinds of judges: how a judge of each kind is opened, and how the workflow treats it."""

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
    - `over_network`: whether such a judge asks a provider, which may cost money. If so, its jobs
      run where Snakemake does (on a cluster, the login node), which has network access; and the
      default run measures its trust only if the config names it in claims/trust/paid_judges.
    - `local_model`: whether such a judge computes for minutes per paper, with the GGUF weights of a
      model of config/models.yaml. If so, of the papers planted with a known score it reads only the
      first claims/embedded_planted_papers.
    - `by_rules`: whether such a judge gives the same reply in each run.

    Of a kind in the user's own package only `open` is used. The workflow does not import the
    package before its jobs run, so it treats every such kind as `over_network`: the judge may ask a
    provider.
    """

    open: Callable[[JudgeSettings, JudgeFiles], AbstractContextManager["Judge"]]
    over_network: bool = False
    local_model: bool = False
    by_rules: bool = False


# Each function imports its judge only when it is called: every dry run imports this module, and
# opens no judge.
def _language_model(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    from mechaware.instruments.claims.judges.language_model.judge import open_language_model_judge

    return open_language_model_judge(settings, files)


def _lexical(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    from mechaware.instruments.claims.judges.lexical import open_lexical_judge

    return open_lexical_judge(settings, files)


def _of_own_package(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    """A judge of a kind in the user's own package; `settings.kind` is the kind's dotted name."""
    return load_object(settings.kind, Kind).open(settings, files)


# By the name that config/judges.yaml gives to a kind: a model of a provider, a model that this
# machine serves, and keyword rules.
KINDS: Mapping[str, Kind] = {
    "provider": Kind(_language_model, over_network=True),
    "embedded": Kind(_language_model, local_model=True),
    "lexical": Kind(_lexical, by_rules=True),
}
# Any kind in the user's own package, before its jobs run.
_OWN = Kind(_of_own_package, over_network=True)


def kind_named(name: str) -> Kind:
    """The kind with this name: a key of `KINDS`, or a dotted name in the user's own package.

    A dotted name is not looked up here. Raises `KeyError` for any other name.
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
    """The judge with these settings, to be used in a `with` statement.

    The server of an embedded judge runs from the first call that the stored replies do not answer
    until the `with` statement ends.

    Args:
        settings: The judge's entry in config/judges.yaml.
        prompts: The files of one version of the prompts, for example of config/judge_prompts/v1.
        responses: The folder in which each judge has a folder of stored replies, by its name.
        weights: The GGUF file of an embedded judge; empty for other judges.
        item_prompts: The prompts of config/judge_prompts/items, for a judge that is asked about
            passages (`PassageJudge.judge_passages`); empty for other judges.

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
