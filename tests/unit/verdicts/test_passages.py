"""The notes of the verdict on a log with passages: on the items, and on the marks in the log."""

from mechaware.core.evaluation_log.passages import PassageItem
from mechaware.instruments.grounding.passages.asking import Question
from mechaware.verdicts.cases.passages import answers_table
from mechaware.verdicts.passages import judge_passages


def question(
    number: int, *, passage: str, exchanged: str, options: tuple[str, ...] = ()
) -> Question:
    """A question whose accepted answer is "Paris"; its prompts are not read by the verdict."""
    item = PassageItem(
        id=f"i{number}",
        before="",
        passage=passage,
        after="Where?",
        options=options,
        accepted=("Paris",),
        correct=1.0,
    )
    return Question(item=item, exchanged=exchanged, prompts={}, new_tokens=4)


def test_items_that_share_passages_are_counted() -> None:
    questions = []
    for number in range(6):
        options = (" Paris", " Rome")
        questions.append(
            question(number, passage=f"Text {number // 2}.", exchanged="Rome.", options=options)
        )

    verdict = judge_passages(answers_table(6, 0, 0, 0), questions, confidence_level=0.95)

    assert verdict.notes == ["6 items share 3 passages: intervals and tests are over passages"]
    assert verdict.evidence.n_passages == 3


def test_written_answers_that_the_exchanged_passage_also_contains_are_counted() -> None:
    """Two exchanged passages have the word Paris, and one has it only as a part of another word."""
    exchanged = ["In Paris.", "paris", "Parisian.", "Rome.", "Oslo.", "Bern."]
    questions = []
    for number, text in enumerate(exchanged):
        questions.append(question(number, passage=f"Text {number}.", exchanged=text))

    verdict = judge_passages(answers_table(6, 0, 0, 0), questions, confidence_level=0.95)

    assert verdict.notes == [
        "6 items have no options: an answer is right if its first line has an accepted one, which "
        "the log may count otherwise",
        "in 2 of them the exchanged passage also contains an accepted answer, so that an answer "
        "from it counts as right",
    ]


def test_marks_in_the_log_that_differ_from_the_answers_given_anew_are_noted() -> None:
    """All six items are right when asked anew, and none in the log: p = 2 / 2^6 = 0.031."""
    options = (" Paris", " Rome")
    questions = []
    for number in range(6):
        questions.append(
            question(number, passage=f"Text {number}.", exchanged="Rome.", options=options)
        )
    answers = answers_table(6, 0, 0, 0)

    differing = judge_passages(answers.assign(logged=0.0), questions, confidence_level=0.95)
    agreeing = judge_passages(answers.assign(logged=1.0), questions, confidence_level=0.95)
    unmarked = judge_passages(answers, questions, confidence_level=0.95)

    assert differing.notes == [
        "asked anew, 100% of the items are right, and 0% in the log (p = 0.031): the log is of "
        "another model, prompt or way of counting, and the verdict is on the answers given anew"
    ]
    assert agreeing.notes == []
    assert unmarked.notes == []
