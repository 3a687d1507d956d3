"""Judges a paper with a model whose context is too short for it.

Claims are chosen among sentences of the paper's opening. Each claim is then judged one dimension at
a time, from the passages of the paper that are most like a query.
"""

import re
from collections.abc import Sequence
from typing import Any

from mechaware.instruments.claims.judges.components import ComponentNames
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.model import LanguageModel
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.language_model.replies import (
    chosen_sentences,
    statuses_by_passages,
    unscored_criteria,
)
from mechaware.instruments.claims.judges.quotes import locate_quotes, quoted
from mechaware.instruments.claims.reading.sentences import AFTER_STOP, sentence_spans
from mechaware.instruments.claims.rubric.criteria import DIMENSIONS, STATUSES, Dimension
from mechaware.instruments.claims.rubric.records import Claim, Judgement, PaperText

# A passage has at most this many words, unless a single sentence is longer.
PASSAGE_WORDS = 30
# The opening of a paper, which has the main claims, ends after this many words.
OPENING_WORDS = 300
# The model chooses among this many sentences of the opening for each of the settings' `max_claims`.
CANDIDATES_PER_CLAIM = 3
# A sentence with fewer words, such as a heading or a number, is not a candidate.
MIN_SENTENCE_WORDS = 5
# The dimension that the flags of a paper's text concern.
MEASUREMENT = "M"
# The model reads at most this many passages for each dimension of each claim.
PASSAGES_SHOWN = 2
# "9.1" and "mean-ablated" are one word.
WORD = r"\w+(?:[.\-]\w+)*"
# Indexed together with the passages: the vectorizer raises an error if texts have no word but
# stop words.
PLACEHOLDER = "passage"


class PassageReader:
    """A model that judges one paper in one run from its passages.

    The evidence of a judgement is one of the passages, word for word; a NO has none.
    """

    def __init__(
        self, model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._text = text
        self._about = about
        self._run = run
        self._index = _PassageIndex(_split_passages(text))

    def extract(self) -> list[Claim]:
        """The paper's claims, judged.

        The model chooses them among the sentences of the opening that are most like a claim. Raises
        `Unscored` if the opening has no whole sentence, or if the choice cannot be used.
        """
        opening = " ".join(self._text.split()[:OPENING_WORDS])
        sentences = []
        for sentence in _split_sentences(opening):
            if len(re.findall(r"\w+", sentence)) >= MIN_SENTENCE_WORDS:
                sentences.append(sentence)
        if not sentences:
            raise Unscored("no claims", "the paper's opening has no whole sentence")

        max_claims = self._model.settings.max_claims
        candidates = _PassageIndex(sentences).best(
            self._prompts.claim_query, CANDIDATES_PER_CLAIM * max_claims
        )
        form = chosen_sentences(len(candidates), max_claims)
        question = self._prompts.find_claims_small(candidates, max_claims)
        reply: Any = self._model.ask(question, form, run=self._run, step="claims")

        names = ComponentNames(self._text)
        # A reply is written as "2 algorithmic, 5 representational".
        choices = reply.claims.split(", ")
        claims = [_chosen_claim(choice, candidates, names) for choice in choices]
        return [claim.model_copy(update={"criteria": self.judge(claim)}) for claim in claims]

    def judge_all(self, claims: Sequence[Claim]) -> list[dict[str, Judgement]]:
        """The judgements of given claims: for each claim, by criterion."""
        return [self.judge(claim) for claim in claims]

    def judge(self, claim: Claim) -> dict[str, Judgement]:
        """The judgements of a claim, by criterion.

        If a dimension has no usable reply, its criteria are unscored.
        """
        criteria: dict[str, Judgement] = {}
        for dimension in DIMENSIONS:
            try:
                criteria |= self._judge_dimension(claim, dimension)
            except Unscored as reason:
                criteria |= unscored_criteria(str(reason), dimension.criteria)
        return criteria

    def _judge_dimension(self, claim: Claim, dimension: Dimension) -> dict[str, Judgement]:
        """The judgements of one dimension's criteria, from one reply. Raises `Unscored`."""
        subject = " ".join(claim.components) or claim.statement
        query = f"{subject} {self._prompts.query(dimension.code)}"
        passages = self._index.best(query, PASSAGES_SHOWN, without=claim.statement)
        # In the other dimensions a flag would only cost time: a small model reads slowly.
        flags = self._about.flags if dimension.code == MEASUREMENT else []
        question = self._prompts.judge_dimension_small(
            dimension.code, claim.statement, passages, flags
        )
        form = statuses_by_passages(len(dimension.criteria), len(passages))
        reply: Any = self._model.ask(
            question, form, run=self._run, step=f"criteria {dimension.code}"
        )
        # A reply is written as "YES2 NO PARTIAL1": a status for each criterion, in order.
        statuses = zip(dimension.criteria, reply.statuses.split(), strict=True)
        return {code: _judgement(written, passages, self._text) for code, written in statuses}


def _chosen_claim(choice: str, sentences: Sequence[str], names: ComponentNames) -> Claim:
    """The claim for one choice: for "2 algorithmic", the second sentence in the mode algorithmic.

    The claim's components are those that the sentence names.
    """
    number, mode = choice.split()
    statement = sentences[int(number) - 1]
    return Claim(
        statement=statement,
        description_mode=mode,
        evidence_families=[],  # not asked for: they affect no score
        components=names.as_written(names.keys_in(statement)),
        criteria={},
    )


def _judgement(written: str, passages: Sequence[str], text: str) -> Judgement:
    """The judgement that is written as "YES2": YES, with the second passage as its evidence.

    NO has no evidence.
    """
    word = written.rstrip("0123456789")
    number = written.removeprefix(word)
    # The element of `STATUSES` has the type `Status`; `word` is any string.
    status = STATUSES[STATUSES.index(word)]
    evidence = quoted(passages[int(number) - 1]) if number else ""
    return Judgement(status=status, evidence=evidence, quotes=locate_quotes(evidence, text))


def _split_sentences(text: str) -> list[str]:
    """The sentences, each on one line."""
    line = " ".join(text.split())
    return [line[start:end] for start, end in sentence_spans(line, AFTER_STOP)]


def _split_passages(text: str) -> list[str]:
    """The passages of a text, in its order: consecutive whole sentences, each passage on one line.

    A passage has at most `PASSAGE_WORDS` words; a longer sentence is a passage by itself.
    """
    passages: list[str] = []
    words = 0
    for sentence in _split_sentences(text):
        length = len(sentence.split())
        if passages and words + length <= PASSAGE_WORDS:
            passages[-1] += f" {sentence}"
            words += length
        else:
            passages.append(sentence)
            words = length
    return passages


class _PassageIndex:
    """Passages of one paper, ranked by the cosine of their TF-IDF vectors with the query's."""

    def __init__(self, passages: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.passages = passages
        self._vectorizer = TfidfVectorizer(
            stop_words="english", sublinear_tf=True, token_pattern=WORD
        )
        vectors = self._vectorizer.fit_transform([*passages, PLACEHOLDER])
        # (passage, word), without the placeholder's row
        self._vectors = vectors[: len(passages)]

    def best(self, query: str, number: int, *, without: str | None = None) -> list[str]:
        """The `number` passages that are most like `query`, in the paper's order (all if fewer).

        Of passages with equal cosines the earlier one is taken. Passages that contain `without` are
        skipped: a claim is no evidence for itself.
        """
        query_vector = self._vectorizer.transform([query])
        # The vectors have length 1 (0 without a known word), so their products are cosines.
        cosines = (self._vectors @ query_vector.T).toarray().ravel()

        others = []
        for index, passage in enumerate(self.passages):
            if without is None or without not in passage:
                others.append(index)
        ranked = sorted(others, key=lambda index: (-cosines[index], index))
        return [self.passages[index] for index in sorted(ranked[:number])]
