"""A control that has learned the fingerprints of the wordings: counts of letters, numbers, signs and small words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np
from jaxtyping import Float
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from mechaware.claims.planting.manuscript import Manuscript
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.records import Claim
from mechaware.claims.trust.controls.judges import NEGATION, WORDINGS, Control
from mechaware.claims.trust.controls.key import Key
from mechaware.claims.trust.planted.edits import planted_edits
from mechaware.claims.trust.planted.papers import plan_trial_papers, write_trial_paper
from mechaware.seeds import derive_seed

TRAINING_SETS = 8  # of as many papers as are judged, each of a seed of its own
WORD, NUMBER = re.compile(r"[a-z']+"), re.compile(r"\d+(?:\.\d+)?")
SMALL_WORDS = {
    "negations": NEGATION,
    "we, our, us": frozenset(["we", "our", "us"]),
    "the": frozenset(["the"]),
    "and": frozenset(["and"]),
    "but": frozenset(["but", "though", "although"]),
}
SIGNS = {"commas": ",", "semicolons": ";", "colons": ":", "brackets": "(", "percent signs": "%"}
Examples = dict[str, list[tuple[tuple[str, ...], Status]]]


def surface_counts(text: str) -> dict[str, float]:
    """Counts of a text's characters, words, numbers, signs and small words, by name; of its words the mean length."""
    words, numbers = WORD.findall(text.lower()), NUMBER.findall(text)
    counts: dict[str, float] = {
        "characters": len(text),
        "words": len(words),
        "mean word length": sum(map(len, words)) / max(len(words), 1),
        "digits": sum(map(str.isdigit, text)),
        "numbers": len(numbers),
        "decimals": sum("." in number for number in numbers),
        "words in -ed": sum(word.endswith("ed") for word in words),
    }
    counts |= {name: text.count(sign) for name, sign in SIGNS.items()}
    return counts | {name: sum(word in group for word in words) for name, group in SMALL_WORDS.items()}


def wordings_judge(papers: Sequence[PlantedPaper], seed: int) -> Control:
    """A judge that is given the sentences on a criterion of a claim by the key, and knows their surface counts alone.

    A logistic regression for each criterion has learned these from other papers of the same wordings and all their
    edits: `TRAINING_SETS` sets of as many papers, whose seeds derive from `seed`. It recognises wordings; the counts of
    one that it has not learned tell nothing. Without a sentence it says NO.
    """
    key = Key(papers)
    fitted = {code: _fit(examples) for code, examples in _training(len(papers), seed).items()}

    @cache
    def judged(code: str, sentences: tuple[str, ...]) -> Status:
        answer: Status = fitted[code].predict([_counts(sentences)])[0]
        return answer

    def decide(text: str, claim: Claim, code: str, run: int) -> Status:
        del run
        sentences = tuple(sentence.text for sentence in key.sentences(text, claim, code))
        return judged(code, sentences) if sentences else "NO"

    return Control(WORDINGS, decide)


def _training(number: int, seed: int) -> Examples:
    """By criterion the sentences of a claim in a text, and the status that they give."""
    examples: Examples = {code: [] for code in CRITERIA}
    for part in range(TRAINING_SETS):
        for paper in plan_trial_papers(number, derive_seed(seed, WORDINGS, part)):
            for code, sentences, status in _judgeable(paper):
                examples[code].append((sentences, status))
    return examples


def _judgeable(paper: PlantedPaper) -> Iterator[tuple[str, tuple[str, ...], Status]]:
    """Criterion, sentences and status of all claims of a paper, and of what each of its edits is about."""
    base = write_trial_paper(paper)
    asked = [(base, claim, code, own.levels[code]) for claim, own in enumerate(paper.claims) for code in CRITERIA]
    for edit in planted_edits(paper, base):
        if edit.claim is not None and edit.code is not None:
            asked.append((edit.manuscript, edit.claim, edit.code, edit.paper.claims[edit.claim].levels[edit.code]))
    for manuscript, claim, code, status in asked:
        if sentences := _on(manuscript, claim, code):
            yield code, sentences, status


def _on(manuscript: Manuscript, claim: int, code: str) -> tuple[str, ...]:
    return tuple(s.text for s in manuscript.sentences() if (s.claim, s.code) == (claim, code))


def _fit(examples: Sequence[tuple[tuple[str, ...], Status]]) -> Pipeline:
    model = make_pipeline(StandardScaler(), LogisticRegression(C=10, max_iter=1000))
    return model.fit([_counts(sentences) for sentences, _ in examples], [status for _, status in examples])


def _counts(sentences: Iterable[str]) -> Float[np.ndarray, " count"]:
    """The surface counts of sentences on a criterion, and their number."""
    texts = list(sentences)
    return np.array([len(texts), *surface_counts(" ".join(texts)).values()], dtype=float)
