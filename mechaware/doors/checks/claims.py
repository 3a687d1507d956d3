"""The section `claims` of a config: its judges, papers, rubric and prompts."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.schema import check_choice
from mechaware.doors.checks.entries import Entries, ListedEntries
from mechaware.doors.checks.files import check_exists_or_is_result, existing_file
from mechaware.doors.checks.judge_cards import check_judge_card
from mechaware.doors.checks.judges import check_judge
from mechaware.doors.checks.names import check_distinct_folders, check_not_reserved
from mechaware.instruments.claims.fetching.papers import RESERVED, Paper
from mechaware.instruments.claims.judges.kinds import kind_named
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.verdicts.cards.names import BLIND_JUDGE

# Names that no judge may have: the results have files or folders of these names for something else.
_RESERVED = dict.fromkeys(RESERVED, "names a folder of results/claims") | {
    "controls": "is taken by the trust study",
    BLIND_JUDGE: "is the card of the blind judge",
}


def check_claims(
    config: Mapping[str, Any],
    judges: ListedEntries,
    own_judges: Iterable[str],
    models: ListedEntries,
    papers: Mapping[str, Paper],
    repository: Path,
) -> None:
    """Refuse what the claims study cannot use.

    Args:
        config: The whole config, after its numbers are parsed.
        judges: The judges that the config may name.
        own_judges: The names of the judges that judge `own_paper`.
        models: The models that embedded judges may name.
        papers: The papers that the config may name, by id, and `own_paper`.
        repository: The folder of config/.

    Raises:
        UserError: A judge, a card, a paper, a rubric or a version of the judges' prompts is missing
            or cannot be used.
    """
    claims = config["claims"]
    for name in claims["judges"]:
        check_judge(name, judges, models, "config, claims/judges")
    for name in own_judges:
        check_judge(name, judges, models, "config, claims/own_judges")

    _check_own_rubric(claims)
    check_distinct_folders(claims["judge_cards"], "config, claims/judge_cards")
    for name, card in claims["judge_cards"].items():
        check_judge_card(name, card, judges, models)
    check_not_reserved(judges.entries, _RESERVED, judges.sources)

    _check_papers(claims, papers, judges)
    _check_embedded_judges_have_papers(claims, judges.entries)

    folder = f"config/judge_prompts/{claims['prompts']}"
    if not any((repository / folder).glob("*.*")):
        raise UserError(
            f"config, claims/prompts: no {folder}; name a folder of config/judge_prompts"
        )


def _check_own_rubric(claims: Mapping[str, Any]) -> None:
    """Refuse an `own_rubric` that cannot be read, and an `own_claim` without a rubric."""
    if claims["own_rubric"]:
        read_rubric(existing_file(claims["own_rubric"], "config, claims/own_rubric"))
    elif claims["own_claim"]:
        raise UserError(
            "config, claims/own_claim: only own_rubric judges it; name a rubric, or leave the "
            "claim out (by the 27 criteria a judge finds a paper's claims)"
        )


def _check_papers(
    claims: Mapping[str, Any], papers: Mapping[str, Paper], judges: ListedEntries
) -> None:
    """Refuse papers of the study that cannot be used, and a study without any paper.

    A paper of the study cannot be used if it is not listed or its file is missing. No id in
    `papers` may be a judge's name, whether or not the study has the paper. An entry of `measured`
    must be a file or a result of the workflow.
    """
    for name in claims["papers"]:
        check_choice(name, papers, "config, claims/papers", "config/papers.csv")
        paper = papers[name]
        if paper.source == "file" and not Path(paper.location).expanduser().exists():
            # Paths in config/papers.csv begin in the working directory, unlike the config's paths.
            raise UserError(
                f"config/papers.csv, {name}: no file {paper.location} (from {Path.cwd()}); "
                "correct its location"
            )
    for name in claims["measured"]:
        check_exists_or_is_result(name, "config, claims/measured")

    for name in sorted(papers.keys() & judges.entries.keys()):
        raise UserError(
            f"config/papers.csv: id '{name}' is the name of a judge in {judges.sources}; rename one"
        )
    if not claims["papers"] and not claims["planted_papers"] and not claims["own_paper"]:
        raise UserError(
            "config, claims: no papers and no planted_papers; name a paper of config/papers.csv"
        )


def _check_embedded_judges_have_papers(claims: Mapping[str, Any], judges: Entries) -> None:
    """Refuse an embedded judge without any paper.

    Of the planted papers it reads the first `embedded_planted_papers`.
    """
    planted = claims["planted_papers"] and claims["embedded_planted_papers"]
    if claims["papers"] or claims["own_paper"] or planted:
        return
    for name in claims["judges"]:
        if kind_named(judges[name]["kind"]).local_model:
            raise UserError(
                f"config, claims: the embedded judge '{name}' has no paper to read; "
                "raise embedded_planted_papers or name a paper of config/papers.csv"
            )
