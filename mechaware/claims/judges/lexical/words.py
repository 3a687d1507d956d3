"""Sentences that address a judge."""

import re

# Sentences that address a judge are no part of a paper's evidence.
ADDRESSES_JUDGE = re.compile(
    r"(?i)\b(?:ignore|disregard|override|forget) (?:all |any |the |your )*(?:previous|prior|above|other|earlier|"
    r"rubric|instructions?|"
    r"guid\w+)|\b(?:give|assign|mark|score|rate|award|grade|answer|output|return|reply|"
    r"set)\b.{0,60}\b(?:criteri(?:on|a)|status\w*|YES|full "
    r"marks|highest (?:score|tier|rating))|\b(?:note|message|instructions?|attention|to) (?:to |for )?(?:the |any |"
    r"all )?(?:reviewers?|judges?|"
    r"graders?|AI|assistants?|LLMs?|language models?)\b|\b(?:as|if) (?:you are )?an? (?:AI|LLM|language model|"
    r"judge|reviewer)\b|\byou "
    r"(?:are|must|should|will|may)\b|\b[CIMEV][1-6]\s*(?:[:=]|is|are|as)\s*(?:YES|PARTIAL|NO)\b"
)
