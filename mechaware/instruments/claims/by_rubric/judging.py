"""Asks a judge for the status of a paper on each criterion of any rubric, in independent runs.

The question is the one that is asked about labelled items: given these passages and this
definition, which status? The passages are those that the reading aid finds likeliest to bear on the
criterion. So a judge's card on labelled items measures what the judge does here, and every kind of
judge that can have a card can judge a paper.
"""

from collections.abc import Mapping, Sequence

from mechaware.instruments.claims.aid.candidates import candidate_passages, criteria_of_rubric
from mechaware.instruments.claims.items.edits import UNEDITED, Question
from mechaware.instruments.claims.judges.judge import AskedQuestion, Judge, answer_questions
from mechaware.instruments.claims.reading.passages import Passage, split_passages
from mechaware.instruments.claims.rubric.records import Record, Usage
from mechaware.instruments.claims.rubric.rubric import Rubric


class JudgedCriterion(Record):
    """The votes on one criterion of a paper.

    - `passages`: the passages that the judge was shown, in the paper's order, each by its place
      [start, end) in characters of text.txt.
    - `votes`: the status given by each run; None without a usable reply.
    - `evidence`: each run's reasons for its status, or what was wrong with its reply.
    """

    passages: list[tuple[int, int]]
    votes: list[str | None]
    evidence: list[str]


class PaperByRubric(Record):
    """The file `judged.json`: a judge's votes on a paper, by a rubric.

    - `claim`: the claim that was judged; empty for the paper as a whole.
    - `passages_searched`: the number of all passages of the paper.
    - `criteria`: by code.
    """

    judge: str
    paper: str
    rubric: str
    claim: str
    passages_searched: int
    criteria: dict[str, JudgedCriterion]
    usage: Usage


def shown_passages(text: str, rubric: Rubric, n_passages: int) -> dict[str, list[Passage]]:
    """By criterion, the passages of a paper that are likeliest to bear on it, in the paper's order.

    There are at most `n_passages` of a criterion.
    """
    criteria = criteria_of_rubric(rubric)
    by_criterion = candidate_passages(split_passages(text), criteria, n_passages)
    return {code: sorted(passages) for code, passages in by_criterion.items()}


def paper_questions(
    shown: Mapping[str, Sequence[Passage]], claim: str, runs: int
) -> list[AskedQuestion]:
    """The questions about a paper: in each run, one about each criterion.

    The `id` of a question is the criterion's code. Its text has a passage on each line.
    """
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
    n_passages: int,
    runs: int,
    at_a_time: int = 1,
) -> PaperByRubric:
    """The votes of each run of a judge on a paper, with a progress bar on standard error.

    Args:
        judge: Any judge with the method `judge_passages`.
        text: The paper's text.
        rubric: The rubric.
        judge_name: The judge's name.
        paper: The paper's id.
        claim: The claim that is judged; empty for the paper as a whole.
        n_passages: The most passages that the judge is shown for a criterion.
        runs: The number of independent runs, at least one.
        at_a_time: How many questions are asked at a time, in threads.

    Raises:
        UserError: The judge's kind cannot judge passages, or it cannot be asked.
    """
    shown = shown_passages(text, rubric, n_passages)
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
    # All answers of the first run come first, then those of the second, and so on.
    for answer in answers:
        votes[answer.id].append(answer.status)
        evidence[answer.id].append(answer.evidence)

    criteria = {}
    for code, passages in shown.items():
        places = [(passage.start, passage.end) for passage in passages]
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
        # A judge of a user's own kind may have only the method `judge_passages`: it counts no
        # calls.
        usage=judge.take_usage() if isinstance(judge, Judge) else Usage(),
    )
