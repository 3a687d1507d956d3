"""A judge's card on labelled items of any rubric, in memory (`mechaware.claims.judge_card`)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.files import sha256
from mechaware.core.library import CONFIG
from mechaware.core.seeds import derive_seed
from mechaware.doors.claims.library import (
    CONFIDENCE_LEVEL,
    RESPONSES,
    prompt_files,
    settings_of,
)
from mechaware.instruments.claims.items.edits import Question, plan_questions
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import Answer, read_replies
from mechaware.instruments.claims.judges.judge import answer_questions, run_of_item
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.rubric import Rubric, read_rubric
from mechaware.verdicts.judge_cards.card import JudgeEvidence, card_procedure
from mechaware.verdicts.judge_cards.card import judge_card as reach_verdict
from mechaware.verdicts.verdict import Verdict

# As in config/config.yaml and config/schema.yaml.
EDITED_ITEMS = 30
SEED = 20260


def judge_card(
    items: str | Path,
    rubric: str | Path,
    judge: str | Mapping[str, Any] | None = None,
    *,
    replies: str | Path | None = None,
    edited_items: int = EDITED_ITEMS,
    responses: str | Path = RESPONSES,
    weights: str | Path | None = None,
) -> Verdict[JudgeEvidence]:
    """How far a judge agrees with people's labels by any rubric, next to rules that read nothing.

    Args:
        items: A CSV, JSON lines or Parquet file with the columns id, group, criterion, claim, text
            and label, and optionally second_label. Items of one group, such as a paper, are not
            independent.
        rubric: A YAML file with name, statuses (the lowest first), criteria and optionally
            guidance.
        judge: As in `score`: a name of config/judges.yaml, an address such as ollama/llama3.2, or a
            judge's settings.
        replies: In place of a judge, a file with the columns id and status, and optionally edit.
        edited_items: The number of items about which the judge is also asked after up to five edits
            of their text.
        responses: The folder in which a language model's replies are kept: no reply is paid for
            twice.
        weights: The GGUF file of a judge of kind embedded.

    Returns:
        The verdict: *agrees*, *answers blindly*, *no lead* or *cannot tell*, with its tables in
        `evidence`.

    Raises:
        UserError: A file cannot be used, the judge is not known or lacks its key, or both or none
            of judge and replies are given.
    """
    if (judge is None) == (replies is None):
        raise UserError("judge_card: give either a judge, or a file of replies")

    rubric_path = Path(rubric)
    own_rubric = read_rubric(rubric_path)
    labelled = read_items(Path(items), own_rubric)
    item_prompts = sorted((CONFIG / "judge_prompts/items").glob("*.md"))

    if judge is None:
        settings = None
        revision = ""
        name = "the file of replies"
        # There are replies, since there is no judge: `or ""` is for the type checker alone.
        answers = read_replies(Path(replies or ""), labelled, own_rubric)
    else:
        settings = settings_of(judge)
        weight_files = [] if weights is None else [Path(weights)]
        revision = sha256(weight_files[0]) if weight_files else ""
        name = settings.name
        questions = plan_questions(
            labelled, edited=edited_items, seed=derive_seed(SEED, "plan_items")
        )
        answers = _ask_judge(
            settings,
            questions,
            own_rubric,
            item_prompts=item_prompts,
            responses=Path(responses),
            weights=weight_files,
        )

    procedure = card_procedure(
        rubric_path,
        list(own_rubric.criteria),
        judge=settings,
        replies=None if replies is None else Path(replies),
        item_prompts=item_prompts,
        revision=revision,
    )
    return reach_verdict(
        labelled,
        own_rubric,
        answers,
        judge=name,
        procedure=procedure,
        confidence_level=CONFIDENCE_LEVEL,
    )


def _ask_judge(
    settings: JudgeSettings,
    questions: Sequence[Question],
    rubric: Rubric,
    *,
    item_prompts: Sequence[Path],
    responses: Path,
    weights: Sequence[Path],
) -> list[Answer]:
    """The judge's answers to the questions, in their order; the files are as in `open_judge`."""
    with open_judge(
        settings,
        prompts=prompt_files(),
        responses=responses,
        weights=weights,
        item_prompts=item_prompts,
    ) as opened_judge:
        answered = answer_questions(
            opened_judge,
            [run_of_item(question) for question in questions],
            rubric,
            label=settings.name,
            unit="item",
            at_a_time=settings.calls_at_a_time,
        )
        # Within the `with` statement, since `answer_questions` asks as it goes.
        return list(answered)
