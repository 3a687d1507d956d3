"""Judges a paper with a model that cannot hold it: from the passages most like a query, one dimension at a time."""

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

PASSAGE_WORDS = 30  # at most, unless a single sentence is longer
OPENING_WORDS = 300  # of a paper, whose opening has its main claims
# Sentences of the opening to choose from, for each claim of the settings' `max_claims`.
CANDIDATES = 3
MIN_WORDS = 5  # of a sentence; a heading or a number is shorter
MEASUREMENT = "M"  # the dimension that the flags concern
PASSAGES = 2  # shown for each dimension of each claim
WORD = r"\w+(?:[.\-]\w+)*"  # "9.1" and "mean-ablated" are one word
PLACEHOLDER = "passage"  # so that a paper without any other word also has vectors


class PassageReader:
    """A model that reads passages of one paper in one run. Its evidence is a passage, word for word."""

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
        """The paper's claims, judged: sentences that the model chooses among those of the opening most like claims.

        Raises `Unscored` if the opening has no whole sentence, or if the choice cannot be used.
        """
        opening = " ".join(self._text.split()[:OPENING_WORDS])
        sentences = []
        for sentence in _split_sentences(opening):
            if len(re.findall(r"\w+", sentence)) >= MIN_WORDS:
                sentences.append(sentence)
        if not sentences:
            raise Unscored("no claims", "the paper's opening has no whole sentence")

        most = self._model.settings.max_claims
        candidates = _PassageIndex(sentences).best(self._prompts.claim_query, CANDIDATES * most)
        form = chosen_sentences(len(candidates), most)
        question = self._prompts.find_claims_small(candidates, most)
        reply: Any = self._model.ask(question, form, run=self._run, step="claims")

        names = ComponentNames(self._text)
        claims = [_chosen_claim(choice, candidates, names) for choice in reply.claims.split(", ")]
        return [claim.model_copy(update={"criteria": self.judge(claim)}) for claim in claims]

    def judge_all(self, claims: Sequence[Claim]) -> list[dict[str, Judgement]]:
        """The criteria of given claims, claim by claim."""
        return [self.judge(claim) for claim in claims]

    def judge(self, claim: Claim) -> dict[str, Judgement]:
        """The criteria of a claim. If a dimension has no usable reply, its criteria are unscored."""
        criteria: dict[str, Judgement] = {}
        for dimension in DIMENSIONS:
            try:
                criteria |= self._judge_dimension(claim, dimension)
            except Unscored as reason:
                criteria |= unscored_criteria(str(reason), dimension.criteria)
        return criteria

    def _judge_dimension(self, claim: Claim, dimension: Dimension) -> dict[str, Judgement]:
        """The criteria of one dimension, judged in one reply. Raises `Unscored`."""
        subject = " ".join(claim.components) or claim.statement
        query = f"{subject} {self._prompts.query(dimension.code)}"
        passages = self._index.best(query, PASSAGES, without=claim.statement)
        # In the other dimensions a flag would only cost time: a small model reads slowly.
        flags = self._about.flags if dimension.code == MEASUREMENT else []
        question = self._prompts.judge_dimension_small(
            dimension.code, claim.statement, passages, flags
        )
        form = statuses_by_passages(len(dimension.criteria), len(passages))
        reply: Any = self._model.ask(
            question, form, run=self._run, step=f"criteria {dimension.code}"
        )
        statuses = zip(dimension.criteria, reply.statuses.split(), strict=True)
        return {code: _judgement(status, passages, self._text) for code, status in statuses}


def _chosen_claim(choice: str, sentences: Sequence[str], names: ComponentNames) -> Claim:
    """The claim that a reply as "2 algorithmic" chooses: the second sentence, with the components that it names."""
    number, mode = choice.split()
    statement = sentences[int(number) - 1]
    return Claim(
        statement=statement,
        description_mode=mode,
        evidence_families=[],  # not asked for: they affect no score
        components=names.as_written(names.keys_in(statement)),
        criteria={},
    )


def _judgement(reply: str, passages: Sequence[str], text: str) -> Judgement:
    """The judgement of a reply as "YES2": YES, with the second passage as its evidence. NO has no evidence."""
    word = reply.rstrip("0123456789")
    number = reply.removeprefix(word)
    status = STATUSES[STATUSES.index(word)]  # as a `Status`, not any string
    evidence = quoted(passages[int(number) - 1]) if number else ""
    return Judgement(status=status, evidence=evidence, quotes=locate_quotes(evidence, text))


def _split_sentences(text: str) -> list[str]:
    """The sentences, each on one line."""
    line = " ".join(text.split())
    return [line[start:end] for start, end in sentence_spans(line, AFTER_STOP)]


def _split_passages(text: str) -> list[str]:
    """Runs of whole sentences of at most about `PASSAGE_WORDS` words, each on one line, in the paper's order."""
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
    """The passages of one paper, ranked by the cosine of their TF-IDF vectors and a query's."""

    def __init__(self, passages: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.passages = passages
        self._weights = TfidfVectorizer(stop_words="english", sublinear_tf=True, token_pattern=WORD)
        self._vectors = self._weights.fit_transform([*passages, PLACEHOLDER])[: len(passages)]

    def best(self, query: str, number: int, *, without: str | None = None) -> list[str]:
        """The `number` passages that are most like `query`, in the paper's order (all if fewer).

        Of equal ranks the earlier passage wins. Passages that contain `without` are skipped: a claim is no evidence
        for itself.
        """
        query_vector = self._weights.transform([query])
        likeness = (self._vectors @ query_vector.T).toarray().ravel()

        others = []
        for index, passage in enumerate(self.passages):
            if without is None or without not in passage:
                others.append(index)
        ranked = sorted(others, key=lambda index: (-likeness[index], index))
        return [self.passages[index] for index in sorted(ranked[:number])]
