"""Asks a judge for the status of a paper on each criterion of any rubric, in independent runs.

A judge is shown the passages that the reading aid finds likeliest to bear on the criterion, and is asked the same
question as about labelled items: these passages, this definition, which status? So a judge's card on labelled items
measures what the judge does here, and every kind of judge that can have a card can judge a paper.
"""

from collections.abc import Mapping, Sequence

from mechaware.instruments.claims.aid.candidates import candidate_passages, criteria_of_rubric
from mechaware.instruments.claims.items.edits import UNEDITED, Question
from mechaware.instruments.claims.judges.judge import AskedQuestion, Judge, answer_questions
from mechaware.instruments.claims.reading.passages import Passage, split_passages
from mechaware.instruments.claims.rubric.records import Record, Usage
from mechaware.instruments.claims.rubric.rubric import Rubric


class JudgedCriterion(Record):
    """A criterion of a paper.

    - `passages`: the places of the passages that the judge was shown, [start, end) in characters of text.txt, in the
      paper's order.
    - `votes`: the status given by each run; None without a usable reply.
    - `evidence`: each run's reasons for its status, or what was wrong with its reply.
    """

    passages: list[tuple[int, int]]
    votes: list[str | None]
    evidence: list[str]


class PaperByRubric(Record):
    """`judged.json`: a paper by a rubric. `claim` is what was judged, empty for the paper as a whole.

    `passages_searched` is the number of all passages of the paper, and `criteria` are by code.
    """

    judge: str
    paper: str
    rubric: str
    claim: str
    passages_searched: int
    criteria: dict[str, JudgedCriterion]
    usage: Usage


def shown_passages(text: str, rubric: Rubric, number: int) -> dict[str, list[Passage]]:
    """By criterion, the `number` passages of a paper that are likeliest to bear on it, in the paper's order."""
    by_criterion = candidate_passages(split_passages(text), criteria_of_rubric(rubric), number)
    return {code: sorted(passages) for code, passages in by_criterion.items()}


def paper_questions(
    shown: Mapping[str, Sequence[Passage]], claim: str, runs: int
) -> list[AskedQuestion]:
    """Run by run, a question for each criterion, whose `id` is the criterion's code; its text has a passage a line."""
    questions = []
    for code, passages in shown.items():
        text = "\n".join(passage.text for passage in passages)
        questions.append(Question(id=code, edit=UNEDITED, criterion=code, claim=claim, text=text))

    asked = []
    for run in range(runs):
        asked += [AskedQuestion(question, run) for question in questions]
    return asked


def judge_by_rubric(
    judge: object,
    text: str,
    rubric: Rubric,
    *,
    judge_name: str,
    paper: str,
    claim: str,
    passages: int,
    runs: int,
    at_a_time: int = 1,
) -> PaperByRubric:
    """The statuses of a paper by each run of a judge, with a bar on standard error.

    Args:
        judge: Any judge with the method `judge_passages`.
        text: The paper's text.
        rubric: By which it is judged.
        judge_name: The judge's name.
        paper: The paper's id.
        claim: The claim that is judged; empty for the paper as a whole.
        passages: How many the judge is shown for a criterion; of a shorter paper all.
        runs: Independent runs, at least one.
        at_a_time: How many criteria are asked side by side, in threads.

    Raises:
        UserError: The judge's kind cannot judge passages, or it cannot be asked.
    """
    shown = shown_passages(text, rubric, passages)
    answers = answer_questions(
        judge,
        paper_questions(shown, claim, runs),
        rubric,
        label=f"{judge_name}, {paper}",
        unit="criterion",
        at_a_time=at_a_time,
    )
    votes: dict[str, list[str | None]] = {code: [] for code in shown}
    evidence: dict[str, list[str]] = {code: [] for code in shown}
    for answer in answers:  # run by run
        votes[answer.id].append(answer.status)
        evidence[answer.id].append(answer.evidence)

    criteria = {}
    for code, passages_shown in shown.items():
        places = [(passage.start, passage.end) for passage in passages_shown]
        criteria[code] = JudgedCriterion(
            passages=places, votes=votes[code], evidence=evidence[code]
        )
    return PaperByRubric(
        judge=judge_name,
        paper=paper,
        rubric=rubric.name,
        claim=claim,
        passages_searched=len(split_passages(text)),
        criteria=criteria,
        # A kind of the user's own may have only this method, and counts no calls.
        usage=judge.take_usage() if isinstance(judge, Judge) else Usage(),
    )
