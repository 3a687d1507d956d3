"""Items of a code review, drawn at random, and answers with errors at known rates.

How often a label occurs depends on the criterion. The length of a text tells nothing of its label.
"""

from random import Random

from mechaware.instruments.claims.items.edits import UNEDITED
from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric

STATUSES = ("bad", "needs work", "good")
# By criterion, the probability of each label, in the order of STATUSES.
SHARES = {"names": (0.6, 0.2, 0.2), "tests": (0.15, 0.25, 0.6), "docs": (0.3, 0.45, 0.25)}
CRITERIA = {
    code: Criterion(code=code, name=code, definition=f"{code}?", statuses={}) for code in SHARES
}
RUBRIC = Rubric(name="Code review", statuses=STATUSES, guidance="", criteria=CRITERIA)
WORDS = ["the", "change", "renames", "a", "width", "and", "adds", "one", "test", "of", "it"]


def drawn_items(groups: int, per_group: int, seed: int) -> list[LabelledItem]:
    """`per_group` items of every criterion in each of `groups` groups.

    The second person's label is the first label with probability 0.7; otherwise it is any of the
    statuses, each with the same probability.
    """
    random = Random(seed)  # noqa: S311
    items = []
    for group in range(groups):
        for number in range(per_group):
            for code, shares in SHARES.items():
                (label,) = random.choices(STATUSES, shares)
                second = label if random.random() < 0.7 else random.choice(STATUSES)
                words = random.choices(WORDS, k=random.randint(10, 90))
                item = LabelledItem(
                    id=f"{group}-{number}-{code}",
                    group=f"review {group}",
                    criterion=code,
                    claim="The change is fine",
                    text=" ".join(words),
                    label=label,
                    second=second,
                )
                items.append(item)
    return items


def with_errors(items: list[LabelledItem], up: float, down: float, seed: int) -> list[Answer]:
    """The answers of a judge that is one rank too high or too low at known rates.

    A status below the highest is raised with probability `up`; a status above the lowest is lowered
    with probability `down`. One draw decides both, so `up + down` must be at most 1.
    """
    random = Random(seed)  # noqa: S311
    answers = []
    for item in items:
        rank = RUBRIC.rank(item.label)
        draw = random.random()
        if rank < len(STATUSES) - 1 and draw < up:
            rank += 1
        elif rank > 0 and draw > 1 - down:
            rank -= 1
        answers.append(Answer(item.id, UNEDITED, STATUSES[rank]))
    return answers
