"""Flags a paper that reports no variance, hides words, or has a sentence that
addresses the judge.
"""

import re
from collections.abc import Sequence

from mechaware.instruments.claims.reading.cues import Cue
from mechaware.instruments.claims.reading.readings import Hidden, is_prose
from mechaware.instruments.claims.reading.sentences import search_sentences
from mechaware.instruments.claims.rubric.text_flags import HARMLESS, Flag

# Numbers have at most 21 characters here, for a text may be a single long row of data.
_NUMBER = r"(?<![\d.,])\d[\d.,]{0,20}\s*%?"
_PLUS_MINUS = r"(?:±|\+\s?/\s?[-\u2212\u2013]|\+[-\u2212\u2013]|\\pm)"
_REPEATS = r"(?:seeds?|runs?|initiali[sz]ations?|trials?|replicat\w+|restarts?|repetitions|(?:\w+\s)?folds)"
_DEVIATION = (
    r"(?:SDs?|SEs?|SEMs?|S\.\s?D\.|S\.\s?E\.(?:\s?M\.)?|std\.?|stdev\.?|stddev|st\.\s?dev\.)"
)
_METHOD = r"(?:Wilson|Clopper[\s-]+Pearson|Agresti[\s-]+Coull|Jeffreys|Wald|Student(?:['\u2019]s)?\s+t|jackknife|BCa)"
_INTERVAL_OF_METHOD = r"(?:intervals?|bounds?|limits?|C\.?I\.?s?|errors?|estimates?)"
# The statistical bootstrap only: a model may also be bootstrapped from another.
_OF_BOOTSTRAP = (
    r"(?:re-?sampl|sampl|interval|confidence|estimat|CI\b|test|procedure|standard|distribution|replicat|iteration"
    r"|percentile|mean|error|analys|\d\d(?:\.\d+)?\s?%)"
)
_BY_BOOTSTRAP = r"(?:by|with|using|via|paired|parametric|percentile|(?<![\d,])\d[\d,]{0,12})"
# Phrases that report how much a result varies (section 3.6). Each sentence is searched by itself,
# ignoring case.
VARIANCE = (
    Cue(
        "standard deviation or error",
        r"\bstandard\s+(?:deviation|error)s?\b",
        "Bars show one standard deviation.",
    ),
    Cue("std dev", r"\bstd\.?\s?(?:dev|err)", "the std. dev. of the effect"),
    Cue("error bars", r"\berror[\s-]?bars?\b", "Error bars span five runs."),
    Cue(
        "confidence interval",
        r"\b(?:confidence|credible|uncertainty)\s+(?:intervals?|bands?|regions?|limits?)\b",
        "We give confidence intervals.",
    ),
    Cue(
        "interval with its level",
        r"\b\d\d(?:\.\d+)?\s?%\s?(?:C\.?I\.?s?\b|(?:\w+\s)?(?:intervals?|bands?)\b)",
        "with 95% CIs throughout",
    ),
    Cue(
        "CI with its ends",
        r"\bC\.?I\.?s?\s*(?:[:=]|of)?\s*\[\s*[-\u2212]?\s*\.?\d",
        "CI: [0.1, 0.3]",
    ),
    Cue(
        "interval of a named method",
        rf"\b{_METHOD}\s+(?:\w+\s+){{0,2}}{_INTERVAL_OF_METHOD}\b",
        "Wilson score intervals",
    ),
    Cue("interquartile range", r"\binter-?quartile\s+ranges?\b", "the interquartile range"),
    Cue("IQR with a number", r"\bIQRs?\s*(?:[:=]|of|is|was)?\s*[\[(]?\s*\.?\d", "IQR 0.2-0.3"),
    Cue("number plus or minus another", rf"{_NUMBER}\s*\(?\s*{_PLUS_MINUS}\s*\.?\d", "0.85 ± 0.02"),
    Cue(
        "plus or minus a deviation",
        rf"{_PLUS_MINUS}\s*(?:one\s|1\s?)?(?:std|s\.?\s?d\b|s\.?\s?e\b|s\.?e\.?m\b|\u03c3|standard)",
        "mean ± SD",
    ),
    Cue(
        "mean and deviation",
        rf"\b(?:means?|averages?|medians?)\s*(?:and|,|/|\(|&)\s*(?:the\s+)?"
        rf"(?:std|stdev|{_DEVIATION}|s\.?d|s\.?e\.?m?)(?!\w)",
        "mean (s.d.) of the effect",
    ),
    Cue(
        "deviation with a number",
        rf"(?<![\w.]){_DEVIATION}\s*(?:[=:]|of\b|is\b|was\b|\u2248|~)\s*\.?\d",
        "SD = 0.1",
    ),
    # "SD 1.5" may be a diffusion model.
    Cue("deviation with a fraction", rf"(?<![\w.]){_DEVIATION}\s*0?\.\d", "SEM 0.02"),
    Cue(
        "coefficient of variation, or what a figure shades",
        rf"\b(?:coefficient\s+of\s+variation|(?:shaded|whiskers?)\b[^.]{{0,60}}"
        rf"\b(?:deviation|error|{_REPEATS}|percentiles?))\b",
        "shaded area: minimum to maximum over five seeds",
    ),
    Cue(
        "bootstrap, and what of it",
        rf"\bbootstrap(?:ped|ping)?[\s-]+{_OF_BOOTSTRAP}",
        "bootstrap resamples",
    ),
    Cue(
        "by a bootstrap",
        rf"\b{_BY_BOOTSTRAP}\s+(?:\w+\s+){{0,2}}bootstrap(?:s|ping)?\b",
        "Intervals are found by bootstrap.",
    ),
    Cue(
        "variation over repetitions",
        r"\b(?:varianc|variation|variabilit|spread|standard\s+dev|rang)\w*\s+(?:\S+\s+){0,4}?"
        rf"(?:across|over|between|among)\s+(?:\S+\s+){{0,3}}?{_REPEATS}\b",
        "The variance across seeds is small.",
    ),
    Cue(
        "cross-seed variance",
        rf"\b(?:cross|inter|between|run-to-run|seed-to-seed)[\s-]*(?:{_REPEATS}[\s-]+)?(?:varianc|variabilit)\w*",
        "The seed-to-seed variability is 0.02.",
    ),
)
_VARIANCE_PATTERNS = tuple(re.compile(cue.pattern, re.I) for cue in VARIANCE)
# The spread of added noise or initial weights is a setting, not a result: a phrase that begins with
# `OF_SETTING` reports no variance where `SETTING` is near it.
SETTING = re.compile(
    r"\bnois|gaussian|\binitiali[sz]e|normal\s+distribution|normally\s+distributed|\blayer\s?norm|N\(0|diffusion",
    re.I,
)
OF_SETTING = re.compile(r"standard dev|std|s\.?\s?d", re.I)
# A word that denies the phrase after it: at most 50 characters lie between the two, none of them a
# semicolon or colon.
DENIAL = re.compile(
    r"\b(?:no|not|nor|without|lacks?|lacking|omit\w*|never|neither|absen\w+|missing)\b[^;:]{0,50}$",
    re.I,
)
# `SETTING` is searched for in a phrase and this many characters on each side of it, `DENIAL` in the
# same number of characters before it.
AROUND = 80


def paper_flags(
    text: str | None, hidden: Sequence[Hidden], addressing: Sequence[str]
) -> list[Flag]:
    """The flags of a paper.

    Args:
        text: The visible text; None if it cannot be read, and then missing variance is not flagged.
        hidden: The hidden text. It is flagged only if it is prose and its reason is not `HARMLESS`.
        addressing: Sentences that address a judge.
    """
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

    The patterns cover standard deviations and errors, error bars, intervals, the bootstrap, numbers
    with ± and variance across seeds or runs. A denial is no report, nor is the spread of added
    noise or of initial weights.
    """
    return any(_reports(sentence) for sentence in search_sentences(text))


def _reports(sentence: str) -> bool:
    """Whether a sentence has a phrase of `VARIANCE` that it neither denies
    nor uses for a setting.
    """
    for pattern in _VARIANCE_PATTERNS:
        for phrase in pattern.finditer(sentence):
            before = sentence[max(0, phrase.start() - AROUND) : phrase.start()]
            around = before + sentence[phrase.start() : phrase.end() + AROUND]
            is_setting = OF_SETTING.match(phrase[0]) and SETTING.search(around)
            is_denied = DENIAL.search(before)
            if not is_setting and not is_denied:
                return True
    return False
