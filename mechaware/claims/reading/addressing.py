"""Finds sentences that speak to the judge of a paper instead of its readers. Our definition.

Papers about prompt injection or about judges quote such sentences; they are flagged, too, for a flag is no verdict.
"""

import re
from collections.abc import Iterable

from mechaware.claims.reading.sentences import sentences_of

_JUDGE = (
    r"(?:reviewers?|judges?|graders?|evaluators?|assistants?|chatbots?|AIs?|LLMs?|(?:large\s+)?language\s+models?"
    r"|AI\s+(?:models?|systems?|agents?))"
)
_PAPER = r"(?:paper|manuscript|submission|article|work|study|document)"
_ORDER = r"(?:^|[.!?:;,\"“”(\[\u2022]\s*|\b(?:please|now|then|and|must|should|always|you|just|simply)\s+)"
_RULES = r"(?:instructions?|prompts?|rubrics?|guidelines?|guidance|criteria|directions?|directives?|rules?|commands?)"
_PRAISE = (
    r"(?:full\s+marks|(?:the\s+|a\s+)?(?:highest|best|maximum|top|perfect)\s+(?:possible\s+)?(?:\w+\s+)?"
    r"(?:scores?|tiers?|ratings?|marks?|grades?|status\w*|evaluations?|assessments?)|10\s*(?:/|out\s+of)\s*10"
    r"|strong\s+accept)\b"
)
ADDRESSES_JUDGE = re.compile(
    "|".join(
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|of|your|my|these|every)\s+){0,3}"
            r"(?:previous|prior|above|earlier|preceding|other|existing|initial|system|all|any|your|scoring|grading"
            rf"|judging|review\w{{0,4}})\s+(?:\w+\s+){{0,2}}?{_RULES}\b",
            r"\b(?:ignore|disregard|forget)\s+(?:the|your)\s+(?:above|rubric)\b",
            rf"{_ORDER}(?:give|assign|award|rate|score|grade|mark|accept)\s+(?:\w+\s+){{0,3}}?this\s+{_PAPER}\b",
            rf"{_ORDER}recommend\s+(?:\w+\s+){{0,3}}?(?:accept\w*|publi\w+)\b",
            r"(?:^|[.!?:;\"“”(\[\u2022]\s*|\b(?:please|now|must|should|always|you)\s+)"
            rf"(?:give|assign|award|rate|score|grade|mark|answer|output|return|reply|respond|set)\b[^.!?]{{0,60}}?{_PRAISE}",
            rf"{_ORDER}(?:give|write|provide|produce|generate)\s+(?:only\s+)?(?:an?\s+)?(?:\w+\s+)?"
            r"(?:positive|favou?rable|glowing)\s+(?:\w+\s+)?(?:reviews?|assessments?|evaluations?|verdicts?)\b",
            r"\b(?:mark|set|answer|score|rate|output|treat|count|report)\b[^.!?]{0,60}?\b(?:criteri(?:on|a)|status\w*"
            r"|questions?)\b[^.!?]{0,40}?\b(?:(?-i:YES|PARTIAL)|as\s+(?:met|satisfied|fulfilled))\b",
            r"\b(?:answer|output|reply|respond|return|say|write)\b[^.!?]{0,20}?\b(?-i:YES)\b[^.!?]{0,30}?\b(?:every|all|each)\b",
            r"(?-i:(?:^|[.:;]\s*)[CIMEV][1-6]\s*[:=]\s*(?:YES|PARTIAL|NO)\b)",
            rf"\bwhen\s+(?:you\s+)?(?:evaluat|review|scor|judg|rat|grad)\w+\s+this\s+{_PAPER}\b",
            rf"\b(?:note|message|attention|notice|memo|reminder)\s*(?:to|for|,|:)\s*(?:the\s+|any\s+|all\s+|an?\s+)?"
            rf"(?:\w+\s+)?{_JUDGE}\b",
            rf"^\W*(?:dear|hey|hello|hi)\W+(?:\w+\s+){{0,2}}?{_JUDGE}\b",
            r"\bfor\s+(?:all\s+|any\s+)?(?:LLM|AI|language[\s-]model|automated|automatic)\s+"
            r"(?:reviewers?|judges?|graders?|evaluators?|readers?|assistants?)(?:\s+only)?\s*[:,]",
            rf"\b(?:if|when|since|because|as)\s+you\s+(?:are|were)\s+(?:an?\s+|the\s+)?(?:\w+[\s-]+){{0,3}}?{_JUDGE}\b",
            r"\bas\s+an?\s+(?:\w+[\s-]+){0,3}?(?:reviewer|judge|grader|evaluator|assistant|AI|LLM|language\s+model)"
            r"\s*,?\s+(?:you|please|give|rate|score|recommend|accept|output|answer|always|ignore)\b",
            r"\byou\s+are\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:\w+[\s-]+){0,3}?(?:reviewer|judge|grader|evaluator"
            r"|language\s+model|AI|LLM)\b",
            r"\byou\s+(?:must|should|shall|will|(?:have|need)\s+to|are\s+(?:required|instructed|asked|told)\s+to)\s+"
            r"(?:\w+\s+){0,3}?(?:give|assign|award|rate|score|grade|mark|accept|recommend|answer|output|conclude|ignore"
            r"|judge)\b",
            rf"{_ORDER}(?:do\s+not|don['\u2019]t|never)\s+(?:mention|highlight|report|list|raise|point\s+out)\s+"
            r"(?:any\s+|the\s+|its\s+)?(?:\w+\s+)?(?:negatives?|weakness\w*|flaws?|shortcomings?)\b",
            r"\b(?:new|updated|revised|hidden|secret|additional)\s+instructions?\s*(?:to\s+\w+\s*)?:",
            rf"\b(?:this|the)\s+{_PAPER}\s+(?:deserves|must|should)\s+(?:\w+\s+){{0,3}}?"
            rf"(?:accepted|scored?|rated|marked|graded|{_PRAISE})",
            r"\b(?:any|every|all|the)\s+(?:\w+\s+)?(?:judges?|graders?|reviewers?|evaluators?|LLMs?|language\s+models?"
            r"|assistants?)\s+(?:that\s+|who\s+)?(?:is\s+|are\s+)?(?:reads?|reading|evaluat\w+|scor\w+|review\w*|judg\w+)"
            rf"\s+this\s+{_PAPER}\b",
        )
    ),
    re.I,
)
LONGEST = 2_000  # characters of a sentence that are searched at once
MOST = 100  # sentences that are recorded


def addresses_judge(text: str) -> bool:
    """Whether a sentence of a text addresses a judge."""
    return ADDRESSES_JUDGE.search(text) is not None


def addressing_sentences(texts: Iterable[str]) -> list[str]:
    """The sentences of some texts that address a judge: at most 100, each cut to 2,000 characters."""
    found: list[str] = []
    for text in texts:
        for sentence in sentences_of(text):
            parts = (sentence[start : start + LONGEST] for start in range(0, len(sentence), LONGEST // 2))
            addressing = next((part for part in parts if ADDRESSES_JUDGE.search(part)), None)
            if addressing:
                found.append(addressing)
            if len(found) == MOST:
                return found
    return found
