"""Whether words that a text has are denied there, by what comes before or after them in their sentence."""

import re

from mechaware.instruments.claims.reading.sentences import HYPHEN

NEGATION = re.compile(
    r"no|not|none|nor|neither|never|nowhere|nothing|nobody|without|cannot|\w+n't|hardly|scarcely|barely|rarely|seldom|"
    r"fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?"
)
# Negations, and words that deny or leave open what follows them.
DENIAL = re.compile(
    rf"\b(?:(?!no\.|not (?:only|just|merely)\b|no (?:fewer|less|more) than\b)(?:{NEGATION.pattern})|"
    r"(?:false|wrong|incorrect|untrue)(?= (?:that|to)\b)|(?<!\ba )(?:few|little)|"
    r"un(?:true|likely|clear|known|proven|supported)|im(?:plausible|possible)|whether|"
    r"(?:den(?:y|ie)|refut|reject|disprov|contradict|disput|doubt)\w*|rul(?:e|es|ed|ing) out|contrary to|"
    r"(?:evidence|argu\w+|speaks?|spoke) against)\b"
)
# "in no model" after a quote, before any comma.
DENIED_AFTERWARDS = re.compile(
    r"\s+(?:(?:in|for|at|on|under|by|of|to|with)\s+)?(?:not(?! only)|no|never|neither|none|nowhere)\b"
)
# A full stop or a break between blocks. "Fig. 3" ends no sentence, nor does a page's end before a small letter.
_ABBREVIATIONS = ("fig", "figs", "eq", "sec", "app", "tab", "al", "cf", "vs", "resp")
_NOT_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS)
SENTENCE_END = re.compile(rf"(?<=[.!?])(?i:{_NOT_ABBREVIATED})\s+(?=[^a-z])|\n\s*\n\s*(?=[^a-z\s])")
ASIDE = re.compile(r"\([^()]*\)")
# Where a denial ends within its sentence: "X has no effect, and Y lowers it", but not "no evidence that X, and that Y".
CLAUSE = re.compile(
    r";|\bbut\b|,\s(?:yet|however|whereas|nevertheless)\b|,\s(?:and|so|thus|hence|therefore|which|where)\b(?!\s(?:that|nor)\b)"
)
# "Without fine-tuning, ...": what is before the comma denies nothing after it.
OPENING = re.compile(
    r"^\W*(?:without|although|though|unlike|while|whereas|since|because|if|when|despite)\b[^,]*,"
)
AROUND = 600  # characters of the sentence before or after


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the words [start, end) of a text with straight apostrophes follow a denial in their sentence.

    "There is no evidence that heads copy" does not say "heads copy". A denial reaches to the end of its clause: a
    semicolon, "but", a comma before "and", "so" or "which". Right after the words, "in no model" counts too.
    Undetected: denials in other words, or in another sentence.
    """
    after = text[end : end + AROUND].lower()
    if DENIED_AFTERWARDS.match(after):
        return True

    # With the first character of the words, by which a sentence's end right before them is recognised.
    around = text[max(0, start - AROUND) : start + 1]
    before = SENTENCE_END.split(around)[-1][:-1]
    on_one_line = " ".join(HYPHEN.sub("", before).lower().split()) + " "
    clause = CLAUSE.split(ASIDE.sub(" ", on_one_line))[-1]
    return denies(OPENING.sub("", clause))


def denies(text: str) -> bool:
    """Whether there is a denial in a text of small letters."""
    return DENIAL.search(text) is not None
