"""Whether the rest of a sentence denies some of its words, such as the words of a quote.

`is_denied` decides this. The patterns that it searches for come first; all but `SENTENCE_END` and
`ASIDE` are for lower-case text.
"""

import re

from mechaware.instruments.claims.reading.sentences import HYPHEN

NEGATION = re.compile(
    r"no|not|none|nor|neither|never|nowhere|nothing|nobody|without|cannot|\w+n't|hardly|scarcely|barely|rarely|seldom|"
    r"fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?"
)
# "No. 3", "not only", "no fewer than 3" and "no doubt" deny nothing.
_NO_DENIAL = r"no\.|not (?:only|just|merely)\b|no (?:fewer|less|more) than\b|no doubt\b"
# Negations, and words that deny or leave open what follows them.
_DENIALS = (
    rf"(?!{_NO_DENIAL})(?:{NEGATION.pattern})",
    r"(?:false|wrong|incorrect)(?= (?:that|to)\b)",  # "it is false that"
    r"(?<!\ba )(?:few|little)",  # "few heads", not "a few heads"
    r"un(?:true|likely|clear|known|proven|supported)",
    r"im(?:plausible|possible)",
    r"whether",
    r"(?:den(?:y|ie)|refut|reject|disprov|contradict|disput|(?<!\bno )doubt(?!less))\w*",
    r"rul(?:e|es|ed|ing) out",
    r"contrary to",
    r"(?:evidence|argu\w+|speaks?|spoke) against",
)
DENIAL = re.compile(rf"\b(?:{'|'.join(_DENIALS)})\b")
# A denial right after the words, with at most a preposition between: "in no model". For text on one
# line.
DENIED_AFTERWARDS = re.compile(
    r" (?:(?:in|for|at|on|under|by|of|to|with) )?"
    rf"(?!{_NO_DENIAL})(?:not|no|never|neither|none|nowhere)\b"
)
# Where a sentence ends: after a stop, or at an empty line, unless a lower-case letter follows.
# (After an empty line, such a letter continues a sentence of the page before.) The stop of an
# abbreviation, as in "Fig. 3", ends no sentence. Known fault: a stop with two or more white-space
# characters after it ends a sentence even before a lower-case letter.
_ABBREVIATIONS = ("fig", "figs", "eq", "sec", "app", "tab", "al", "cf", "vs", "resp")
_NOT_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS)
SENTENCE_END = re.compile(rf"(?<=[.!?])(?i:{_NOT_ABBREVIATED})\s+(?=[^a-z])|\n\s*\n\s*(?=[^a-z\s])")
ASIDE = re.compile(r"\([^()]*\)")
# Where a clause ends within its sentence, and with it the effect of a denial.
_CLAUSE_ENDS = (
    r";",
    r"\bbut\b",
    r",\s(?:yet|however|whereas|nevertheless)\b",
    # "X has no effect, and Y lowers it", but not "no evidence that X, and that Y"
    r",\s(?:and|so|thus|hence|therefore|which|where)\b(?!\s(?:that|nor)\b)",
)
CLAUSE_END = re.compile("|".join(_CLAUSE_ENDS))
# An opening such as "Without fine-tuning,": its words deny nothing after the comma.
OPENING = re.compile(
    r"^\W*(?:without|although|though|unlike|while|whereas|since|because|if|when|despite)\b[^,]*,"
)
# The characters of the sentence that are read on either side of the words: about 100 words.
AROUND = 600


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the rest of their sentence denies the words `text[start:end]`.

    `text` has straight apostrophes. "There is no evidence that heads copy" denies "heads copy". A
    denial before the words counts unless its clause ends between the denial and the words: at a
    semicolon, at "but", or at a comma with a word such as "and", "so" or "which" (`CLAUSE_END`).
    Asides in brackets and an opening such as "Without fine-tuning," (`OPENING`) are passed over.
    Right after the words, a denial such as "in no model" counts too. Undetected: denials in other
    words, or in another sentence.
    """
    # Whether a sentence ends right before or right after the words depends also on their first and
    # last character. Each excerpt includes one of the two, which is dropped after the split.
    last_and_after = text[end - 1 : end + AROUND]
    sentence_from_last = SENTENCE_END.split(last_and_after)[0]
    after = re.sub(r"\s+", " ", sentence_from_last[1:].lower())
    if DENIED_AFTERWARDS.match(after):
        return True

    before_and_first = text[max(0, start - AROUND) : start + 1]
    sentence_to_first = SENTENCE_END.split(before_and_first)[-1]
    before = HYPHEN.sub("", sentence_to_first[:-1])

    on_one_line = " ".join(before.lower().split()) + " "
    without_asides = ASIDE.sub(" ", on_one_line)
    clause = CLAUSE_END.split(without_asides)[-1]
    return denies(OPENING.sub("", clause))


def denies(text: str) -> bool:
    """Whether there is a denial in a lower-case text."""
    return DENIAL.search(text) is not None
