"""What a judge should know about a paper's text: no variance is reported, words are hidden, a sentence addresses it."""

import re
from collections.abc import Sequence

from mechaware.instruments.claims.reading.readings import Hidden, is_prose
from mechaware.instruments.claims.reading.sentences import search_sentences
from mechaware.instruments.claims.rubric.criteria import HARMLESS, Flag

# Phrases that report how much a result varies (section 3.6), matched in one sentence at a time.
_NUMBER = r"(?<![\d.,])\d[\d.,]{0,20}\s*%?"  # bounded, like all repetitions here: a text may be a single row of data
_PLUS_MINUS = r"(?:±|\+\s?/\s?[-\u2212\u2013]|\+[-\u2212\u2013]|\\pm)"
_REPEATS = r"(?:seeds?|runs?|initiali[sz]ations?|trials?|replicat\w+|restarts?|repetitions|(?:\w+\s)?folds)"
_DEVIATION = (
    r"(?:SDs?|SEs?|SEMs?|S\.\s?D\.|S\.\s?E\.(?:\s?M\.)?|std\.?|stdev\.?|stddev|st\.\s?dev\.)"
)
_METHOD = r"(?:Wilson|Clopper[\s-]+Pearson|Agresti[\s-]+Coull|Jeffreys|Wald|Student(?:['\u2019]s)?\s+t|jackknife|BCa)"
VARIANCE = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\bstandard\s+(?:deviation|error)s?\b",
        r"\bstd\.?\s?(?:dev|err)",
        r"\berror[\s-]?bars?\b",
        r"\b(?:confidence|credible|uncertainty)\s+(?:intervals?|bands?|regions?|limits?)\b",
        r"\b\d\d(?:\.\d+)?\s?%\s?(?:C\.?I\.?s?\b|(?:\w+\s)?(?:intervals?|bands?)\b)",
        r"\bC\.?I\.?s?\s*(?:[:=]|of)?\s*\[\s*[-\u2212]?\s*\.?\d",
        rf"\b{_METHOD}\s+(?:\w+\s+){{0,2}}(?:intervals?|bounds?|limits?|C\.?I\.?s?|errors?|estimates?)\b",
        r"\binter-?quartile\s+ranges?\b",
        r"\bIQRs?\s*(?:[:=]|of|is|was)?\s*[\[(]?\s*\.?\d",
        rf"{_NUMBER}\s*\(?\s*{_PLUS_MINUS}\s*\.?\d",
        rf"{_PLUS_MINUS}\s*(?:one\s|1\s?)?(?:std|s\.?\s?d\b|s\.?\s?e\b|s\.?e\.?m\b|\u03c3|standard)",
        rf"\b(?:means?|averages?|medians?)\s*(?:and|,|/|\(|&)\s*(?:the\s+)?(?:std|stdev|{_DEVIATION}|s\.?d|s\.?e\.?m?)(?!\w)",
        rf"(?<![\w.]){_DEVIATION}\s*(?:[=:]|of\b|is\b|was\b|\u2248|~)\s*\.?\d",
        rf"(?<![\w.]){_DEVIATION}\s*0?\.\d",  # a fraction: "SD 1.5" may be a diffusion model
        rf"\b(?:coefficient\s+of\s+variation|(?:shaded|whiskers?)\b[^.]{{0,60}}\b(?:deviation|error|{_REPEATS}|percentiles?))\b",
        # The statistical bootstrap only: a model may also be bootstrapped from another.
        r"\bbootstrap(?:ped|ping)?[\s-]+(?:re-?sampl|sampl|interval|confidence|estimat|CI\b|test|procedure|standard"
        r"|distribution|replicat|iteration|percentile|mean|error|analys|\d\d(?:\.\d+)?\s?%)",
        r"\b(?:by|with|using|via|paired|parametric|percentile|(?<![\d,])\d[\d,]{0,12})\s+(?:\w+\s+){0,2}bootstrap(?:s|ping)?\b",
        r"\b(?:varianc|variation|variabilit|spread|standard\s+dev|rang)\w*\s+(?:\S+\s+){0,4}?"
        rf"(?:across|over|between|among)\s+(?:\S+\s+){{0,3}}?{_REPEATS}\b",
        rf"\b(?:cross|inter|between|run-to-run|seed-to-seed)[\s-]*(?:{_REPEATS}[\s-]+)?(?:varianc|variabilit)\w*",
    )
)
# The spread of added noise, or of initial weights, is a setting and no result.
SETTING = re.compile(
    r"\bnois|gaussian|\binitiali[sz]e|normal\s+distribution|normally\s+distributed|\blayer\s?norm|N\(0|diffusion",
    re.I,
)
OF_SETTING = re.compile(r"standard dev|std|s\.?\s?d", re.I)
DENIAL = re.compile(
    r"\b(?:no|not|nor|without|lacks?|lacking|omit\w*|never|neither|absen\w+|missing)\b[^;:]{0,50}$",
    re.I,
)
AROUND = 80  # characters before and after a phrase that may make it a setting or a denial


def paper_flags(
    text: str | None, hidden: Sequence[Hidden], addressing: Sequence[str]
) -> list[Flag]:
    """The flags of a paper with this visible text, None if it cannot be read, its hidden text and words to judges."""
    flags: list[Flag] = []
    if text is not None and not _reports_variance(text):
        flags.append("NO_VARIANCE_REPORTED")
    if any(piece.reason not in HARMLESS and is_prose(piece.text) for piece in hidden):
        flags.append("HIDDEN_TEXT")
    if addressing:
        flags.append("ADDRESSES_JUDGE")
    return flags


def _reports_variance(text: str) -> bool:
    """Whether any sentence reports how much a result varies (section 3.6).

    The patterns cover standard deviations and errors, error bars, intervals, the bootstrap, numbers with ± and
    variance across seeds or runs. A denial, or the spread of added noise, is no report.
    """
    return any(_reports(sentence) for sentence in search_sentences(text))


def _reports(sentence: str) -> bool:
    """Whether a sentence has a phrase of `VARIANCE` that it neither denies nor uses of a setting."""
    for pattern in VARIANCE:
        for match in pattern.finditer(sentence):
            before = sentence[max(0, match.start() - AROUND) : match.start()]
            around = before + sentence[match.start() : match.end() + AROUND]
            is_setting = OF_SETTING.match(match[0]) and SETTING.search(around)
            if not is_setting and not DENIAL.search(before):
                return True
    return False
