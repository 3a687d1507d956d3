"""Finds sentences of a paper that address its judge instead of its readers.

By our definition a sentence addresses a judge if it has

- a cue of `OVERRIDE`: it overrides rules, has tokens of a chat format, or fills in statuses of the
  rubric;
- or words of `OTHER_LANGUAGES`;
- or a cue of each of `SPEECH` (it speaks to someone), `TARGET` (it names this work, its criteria or
  its judge) and `OUTCOME` (it asks for an outcome), unless something other than this paper is rated
  (`ELSEWHERE`).

The cues are English; of German, French, Spanish and Chinese only the commonest words are covered.
Papers about prompt injection or about judges quote such sentences. They are flagged as well: a flag
is not a verdict.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from mechaware.instruments.claims.reading import cues
from mechaware.instruments.claims.reading.sentences import search_sentences, without_marks

MAX_SEARCHED = 2_000  # characters; a longer sentence is searched in parts
MAX_SENTENCES = 100  # sentences that are returned


def _any_of(alternatives: Iterable[cues.Cue]) -> re.Pattern[str]:
    """A pattern that matches any of the cues, ignoring case."""
    return re.compile("|".join(cue.pattern for cue in alternatives), re.I)


SPEECH = _any_of(cues.SPEECH)
TARGET = _any_of(cues.TARGET)
OUTCOME = _any_of(cues.OUTCOME)
OVERRIDE = _any_of(cues.OVERRIDE)
# A request and, a few words later, its object, in German, French, Spanish and Chinese.
OTHER_LANGUAGES = re.compile(
    r"\b(?:bewerte\w*|benote\w*|gib|geben\s+sie|vergib|ignorier\w*)\b[^.!?]{0,60}\b(?:diese\w*\s+(?:arbeit|artikel|text|"
    r"studie|papier)|bestnote|höchstnote|anweisung\w*|punktzahl|beste\w*\s+bewertung)"
    r"|\b(?:donne[zr]?|attribue[zr]?|note[zr]?|ignor(?:ez|er)|évalue[zr]?)\b[^.!?]{0,60}\b(?:cet\s+article|ce\s+(?:papier|"
    r"travail|texte)|meilleure\s+note|note\s+maximale|instructions)"
    r"|\b(?:dale|da|dé|otorg\w+|asign\w+|calific\w+|ignor[ae]\w*|evalú\w+)\b[^.!?]{0,60}\b(?:este\s+(?:artículo|trabajo|"
    r"texto)|esta?\s+obra|máxima\s+(?:nota|puntuación|calificación)|mejor\s+(?:nota|puntuación)|instrucciones)"
    r"|(?:给|給|请|請|将|把|打|评|評|忽略|无视|無視).{0,15}(?:论文|論文|文章|最高分|满分|滿分|高分|评分|評分|指令|指示|说明|提示)",
    re.I,
)
# Words that show that something other than this paper is rated: people in a study, a protocol, a
# model's training.
ELSEWHERE = re.compile(
    r"\b(?:annotators?|participants?|crowd\w*|survey|protocol|validation\s+set|test\s+set|TF-?IDF|beam|tokens?|logits?"
    r"|loss|dataset|baselines?|null\s+hypothesis|fewer\s+than|students?|essays?|we\s+(?:ask|prompt|instruct|tell|told|asked)"
    r"|validated\s+(?:against|on|by)|human\s+\w+"
    r"|(?:asks?|asked|instructs?|tells?)\s+(?:the\s+|our\s+)?(?:reviewers?|judges?|raters?|models?)"
    r"|(?:raters|reviewers|judges)\s+agree|fiction|checkpoint\w*|hyper-?parameter\w*|learning\s+rate)\b",
    re.I,
)
# A word that is spelt with signs between its letters: "r.a.t.e".
SPELT = re.compile(r"\b(?:\w[.\-_*]){3,}\w\b")


def addressing_sentences(texts: Iterable[str]) -> list[str]:
    """The first `MAX_SENTENCES` sentences of the texts that address a judge.

    A sentence of more than `MAX_SEARCHED` characters is replaced by the first part of it that
    addresses a judge (`_addressing_part`).
    """
    addressing: list[str] = []
    for text in texts:
        for sentence in search_sentences(without_marks(text)):
            part = _addressing_part(sentence)
            if part is not None:
                addressing.append(part)
            if len(addressing) == MAX_SENTENCES:
                return addressing
    return addressing


def addresses_judge(text: str) -> bool:
    """Whether any sentence of a text addresses a judge."""
    return bool(addressing_sentences([text]))


def _addressing_part(sentence: str) -> str | None:
    """The first part of a sentence that addresses a judge; None if no part does.

    Parts have at most `MAX_SEARCHED` characters, and each overlaps the next by half. A sentence
    that is not longer is its own first part.
    """
    for start in range(0, len(sentence), MAX_SEARCHED // 2):
        part = sentence[start : start + MAX_SEARCHED]
        if _addresses(part):
            return part
    return None


# Cached, because the edited texts of one paper share most of their sentences.
@lru_cache(maxsize=4096)
def _addresses(sentence: str) -> bool:
    """Whether a sentence addresses a judge, by the definition above.

    A word that is spelt with signs between its letters ("r.a.t.e") is read without them.
    """
    sentence = SPELT.sub(lambda match: re.sub(r"[.\-_*]", "", match[0]), sentence)
    if OVERRIDE.search(sentence) or OTHER_LANGUAGES.search(sentence):
        return True
    asks_a_judge = OUTCOME.search(sentence) and TARGET.search(sentence) and SPEECH.search(sentence)
    return bool(asks_a_judge) and not ELSEWHERE.search(sentence)
