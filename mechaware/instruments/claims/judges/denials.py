"""Whether words of a text are denied in it, by what comes before or after
them in their sentence.
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
# A denial right after the words, with at most a preposition between: "in no model". For a text of
# small letters on one line.
DENIED_AFTERWARDS = re.compile(
    r" (?:(?:in|for|at|on|under|by|of|to|with) )?"
    rf"(?!{_NO_DENIAL})(?:not|no|never|neither|none|nowhere)\b"
)
# Where a sentence ends: after a stop, or at a break between blocks (an empty line). "Fig. 3" ends
# none, nor does an empty line before a small letter: there a sentence goes on over a page's end.
_ABBREVIATIONS = ("fig", "figs", "eq", "sec", "app", "tab", "al", "cf", "vs", "resp")
_NOT_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS)
SENTENCE_END = re.compile(rf"(?<=[.!?])(?i:{_NOT_ABBREVIATED})\s+(?=[^a-z])|\n\s*\n\s*(?=[^a-z\s])")
ASIDE = re.compile(r"\([^()]*\)")
# Where a denial ends within its sentence.
_CLAUSE_ENDS = (
    r";",
    r"\bbut\b",
    r",\s(?:yet|however|whereas|nevertheless)\b",
    # "X has no effect, and Y lowers it", but not "no evidence that X, and that Y"
    r",\s(?:and|so|thus|hence|therefore|which|where)\b(?!\s(?:that|nor)\b)",
)
CLAUSE = re.compile("|".join(_CLAUSE_ENDS))
# "Without fine-tuning, ...": what is before the comma denies nothing after it.
OPENING = re.compile(
    r"^\W*(?:without|although|though|unlike|while|whereas|since|because|if|when|despite)\b[^,]*,"
)
AROUND = 600  # characters of the sentence before or after


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the words [start, end) of a text with straight apostrophes are denied by the rest of
    their sentence.

    "There is no evidence that heads copy" does not say "heads copy". A denial before the words
    counts unless its clause ends between them: at a semicolon, at "but", or at a comma with a word
    such as "and", "so" or "which" (`CLAUSE`). Asides in brackets and an opening such as "Without
    fine-tuning," (`OPENING`) are passed over. Right after the words, a denial such as "in no model"
    counts too. Undetected: denials in other words, or in another sentence.
    """
    # The characters on both sides tell where a sentence ends, so the last and the first character
    # of the words are kept until the splits.
    last_and_after = text[end - 1 : end + AROUND]
    after = SENTENCE_END.split(last_and_after)[0][1:]
    if DENIED_AFTERWARDS.match(re.sub(r"\s+", " ", after.lower())):
        return True

    before_and_first = text[max(0, start - AROUND) : start + 1]
    sentence_and_first = SENTENCE_END.split(before_and_first)[-1]
    sentence = HYPHEN.sub("", sentence_and_first[:-1])

    on_one_line = " ".join(sentence.lower().split()) + " "
    without_asides = ASIDE.sub(" ", on_one_line)
    clause = CLAUSE.split(without_asides)[-1]
    return denies(OPENING.sub("", clause))


def denies(text: str) -> bool:
    """Whether there is a denial in a text of small letters."""
    return DENIAL.search(text) is not None
