"""What a judge should know about a paper's text: no variance is reported, or the document hides words."""

import re
import unicodedata
from collections.abc import Sequence

from mechaware.claims.rubric.records import HiddenText
from mechaware.claims.rubric.text_flags import Flag

WORD = re.compile(r"[^\W\d_]{2,}")  # heatmaps print bare numbers in white on dark images; those address no judge

# Phrases that report how much a result varies (section 3.6), matched in one sentence at a time.
_NUMBER = r"(?<![\d.,])\d[\d.,]{0,20}\s*%?"  # bounded, like all repetitions here: a text may be a single row of data
_PLUS_MINUS = r"(?:±|\+\s?/\s?[-\u2212\u2013]|\\pm)"
_REPEATS = r"(?:seeds?|runs?|initiali[sz]ations?|trials?|replicat\w+|restarts?|repetitions|(?:\w+\s)?folds)"
VARIANCE = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\bstandard\s+(?:deviation|error)s?\b",
        r"\bstd\.?\s?(?:dev|err)",
        r"\berror[\s-]?bars?\b",
        r"\b(?:confidence|credible)\s+(?:intervals?|bands?|regions?|limits?)\b",
        r"\b\d\d(?:\.\d+)?\s?%\s?C\.?I\.?s?\b",
        r"\binter-?quartile\s+ranges?\b",
        rf"{_NUMBER}\s*\(?\s*{_PLUS_MINUS}\s*\.?\d",
        rf"{_PLUS_MINUS}\s*(?:one\s|1\s?)?(?:std|s\.?\s?d\b|s\.?\s?e\b|s\.?e\.?m\b|\u03c3|standard)",
        r"\b(?:means?|averages?|medians?)\s*(?:and|,|/|\(|&)\s*(?:the\s+)?(?:std|stdev|s\.?d|s\.?e\.?m?)\b",
        r"\b(?:SD|SE|SEM|S\.D\.|S\.E\.)\s*[=:]\s*\.?\d",
        # The statistical bootstrap only: a model may also be bootstrapped from another.
        r"\bbootstrap(?:ped|ping)?[\s-]+(?:re-?sampl|sampl|interval|confidence|estimat|CI\b|test|procedure|standard"
        r"|distribution|replicat|iteration|percentile|mean|error|analys)",
        r"\b(?:by|with|using|via|paired|parametric|percentile|(?<![\d,])\d[\d,]{0,12})\s+(?:\w+\s+){0,2}bootstrap(?:s|ping)?\b",
        r"\b(?:varianc|variation|variabilit|spread|standard\s+dev|rang)\w*\s+(?:\S+\s+){0,4}?"
        rf"(?:across|over|between|among)\s+(?:\S+\s+){{0,3}}?{_REPEATS}\b",
        rf"\b(?:cross|inter|between|run-to-run|seed-to-seed)[\s-]*(?:{_REPEATS}[\s-]+)?(?:varianc|variabilit)\w*",
    )
)
# The spread of added noise, or of initial weights, is a setting and no result.
SETTING = re.compile(
    r"\bnois|gaussian|\binitiali[sz]e|normal\s+distribution|normally\s+distributed|\blayer\s?norm|N\(0", re.I
)
DENIAL = re.compile(
    r"\b(?:no|not|nor|without|lacks?|lacking|omit\w*|never|neither|absen\w+|missing)\b[^;:]{0,50}$", re.I
)


def paper_flags(text: str | None, hidden: Sequence[HiddenText]) -> list[Flag]:
    """The flags of a paper with this visible text, None if it cannot be read, and these pieces of hidden text."""
    flags: list[Flag] = [] if text is None or reports_variance(text) else ["NO_VARIANCE_REPORTED"]
    return flags + (["HIDDEN_TEXT"] if any(WORD.search(piece.text) for piece in hidden) else [])


def reports_variance(text: str) -> bool:
    """Whether any sentence reports how much a result varies (section 3.6).

    The patterns cover standard deviations and errors, error bars, confidence intervals, the bootstrap, numbers with ±
    and variance across seeds or runs. A denial, or the spread of added noise, is no report.
    """
    unhyphenated = re.sub(r"(?<=\w)[-\u00ad]\s*\n\s*(?=[a-z])", "", unicodedata.normalize("NFKC", text))
    sentences = re.split(r"(?<=[.!?])\s+(?=[^a-z])|\n\s*\n", unhyphenated)
    return any(_reports(" ".join(sentence.split())) for sentence in sentences)


def _reports(sentence: str) -> bool:
    for pattern in VARIANCE:
        for match in pattern.finditer(sentence):
            around = sentence[max(0, match.start() - 80) : match.end() + 80]
            setting = match[0].lower().startswith(("standard dev", "std")) and SETTING.search(around)
            if not setting and not DENIAL.search(sentence[: match.start()]):
                return True
    return False
