"""Finds sentences that speak to the judge of a paper instead of its readers. Our definition.

A sentence addresses a judge if it speaks to someone, names this work, its criteria or its judge, and asks for an
outcome; or if it overrides rules, holds tokens of a chat format, or fills in statuses of the rubric. English, with the
commonest words of German, French, Spanish and Chinese. Papers about prompt injection or about judges quote such
sentences; they are flagged, too, for a flag is no verdict.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from mechaware.instruments.claims.reading.sentences import search_sentences, without_marks

MAX_SEARCHED = 2_000  # characters of a sentence that are searched at once
MAX_SENTENCES = 100  # sentences that are recorded

_SYSTEM = r"(?:AI|LLM|automat(?:ed|ic)|language[\s-]model|machine)"
_PERSON = r"(?:reviewers?|referees?|judges?|graders?|evaluators?|assessors?|raters?|scorers?|examiners?|readers?)"
_MACHINE = (
    r"(?:AIs?|LLMs?|chatbots?|assistants?|(?:large\s+)?language\s+models?|GPT\S{0,6}|Claude|Gemini"
    r"|(?:AI|automated|assessment|evaluation|review\w*|grading|scoring)\s+(?:\w+\s+)?(?:models?|systems?|agents?|tools?))"
)
_JUDGE = rf"(?:(?:{_SYSTEM}\s+)?(?:{_PERSON}|{_MACHINE}))"
_PAPER = (
    r"(?:paper|manuscript|submission|article|work|study|document|text|preprint)\b"
    r"(?!\s+(?:of\s|collection|area|corpus))"
)
_THIS = rf"(?:this|our|the\s+(?:present|following|above|current|submitted))\s+(?:\w+\s+)?{_PAPER}"
_RULES = r"(?:instructions?|prompts?|rubrics?|guidelines?|guidance|criteria|directions?|directives?|rules?|commands?)"
_START = (
    r"(?:(?:^|[.!?:;,\"“”(\[\u2022\]\u2014]\s*)(?:(?:and|so|then|now|please|kindly|just|simply|always|also)\s+){0,3}"
    r"|\b(?:please|kindly)\s+)"
)
_VERB = (
    r"(?:give|assign|award|rate|score|grade|mark|treat|set|output|return|answer|reply|respond|report|conclude|accept"
    r"|recommend|praise|consider|count|regard|judge|evaluate|write|say|state|produce|generate|provide|grant|find|tick"
    r"|overlook|check|select|choose|declare|approve|endorse|confirm|decide|fill|complete|make\s+sure|ensure|be)\b"
)
_MODAL = (
    r"(?:must|should|shall|will|has\s+to|have\s+to|needs?\s+to|ought\s+to|may\s+only"
    r"|(?:is|are)\s+(?:hereby\s+)?(?:requested|instructed|asked|required|told|advised|obliged|expected|to\b|urged)"
    r"(?:\s+to)?)"
)
_SCORES = (
    r"(?:scores?|tiers?|ratings?|marks?|grades?|status\w*|evaluations?|assessments?|points?|verdicts?|"
    r"levels?|credit)"
)
SPEECH = re.compile(
    "|".join(
        (
            rf"{_START}{_VERB}",
            rf"{_START}(?:do\s+not|don['\u2019]t|never|avoid)\s+\w+",
            r"\b(?:whoever|anyone\s+who|those\s+who)\s+(?:\w+\s+)?(?:grad|judg|scor|review|read|evaluat|rat)\w+",
            rf"(?:^|[.!?:;,\"“”(]\s*)(?:\w+\s+){{0,4}}?{_JUDGE}\b(?:\s+\w+){{0,3}}?\s+{_MODAL}\b",
            rf"^\W*(?:(?:dear|hey|hello|hi|attention)\W+)?(?:\w+\s+){{0,2}}?{_JUDGE}\s*[,:!]",
            rf"^\W*(?:hey|hi|hello|dear)\s+(?:\w+\s+)?(?:model|{_JUDGE})\b",
            rf",\s*(?:dear\s+|my\s+)?{_JUDGE}\s*[.!]*$",
            rf"\bas\s+(?:an?|the|your)\s+(?:[\w-]+\s+){{0,3}}?{_JUDGE}\b(?:\s+of\s+this\s+\w+)?\s*,?\s+(?:you|please|{_VERB})",
            rf"\byou\s+(?:\w+\s+)?{_MODAL}\b|\bthat\s+you\s+{_VERB}",
            rf"\byou\s+(?:are|were)\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:[\w-]+\s+){{0,3}}?{_JUDGE}\b",
            r"\byour\s+(?:\w+\s+)?(?:task|job|role|duty|only\s+goal|verdict|review|score|output|answer|JSON)\b",
            rf"\b{_THIS}\s+(?:deserves|must|should|merits|warrants|needs\s+to|has\s+to)\b",
            rf"\b(?:verdict|{_SCORES}|decision|outcome|answer|conclusion)\s+(?:for|of|on|to)\s+{_THIS}\s+(?:is|are|must|should)\b",
            rf"\b(?:any|every|all|the)\s+(?:\w+\s+)?{_JUDGE}\s+(?:that\s+|who\s+)?(?:is\s+|are\s+)?"
            rf"(?:reads?|reading|evaluat\w+|scor\w+|review\w*|judg\w+)\s+{_THIS}",
            r"\b(?:all|every|each)\s+(?:\w+\s+){0,2}?(?:criteri\w+|box\w*|status\w*|questions?|checks?|items?)\s+"
            r"(?:\w+\s+){0,3}?(?:must|should|shall|is\s+to|are\s+to|has\s+to|have\s+to)\s+be\b",
            rf"\bwhen\s+(?:you\s+)?(?:evaluat|review|scor|judg|rat|grad)\w+\s+{_THIS}",
            r"\b(?:system|developer|hidden|secret|admin)\s+(?:message|note|override|notice|command)\s*:",
        )
    ),
    re.I,
)
TARGET = re.compile(
    rf"\b{_THIS}|\b(?:this|it|here)\s*(?:[,.:;!]|$)|\b(?:us|the\s+authors?)\b|\b{_PERSON}\b|\b{_MACHINE}\b|\bmodel,"
    r"|\b(?:criteri(?:on|a)|status\w*|rubrics?|box(?:es)?|checklists?|tiers?|verdicts?|evaluation|throughout)\b"
    r"|\b(?:all|every|each)\s+(?:\w+\s+)?(?:questions?|claims?|keys?|items?|fields?|dimensions?)\b|\byour\s+JSON\b",
    re.I,
)
OUTCOME = re.compile(
    "|".join(
        (
            rf"\b(?:highest|best|maxim(?:um|al)|top|perfect|full|excellent|outstanding|strong)\s+(?:possible\s+)?"
            rf"(?:\w+\s+){{0,2}}?(?:{_SCORES}|papers?)\b",
            r"\b(?:full\s+(?:marks|credit|points)|10\s*(?:/|out\s+of)\s*10|strong\s+accept\w*|top\s+tier|maximal)\b",
            r"\b(?:mechanistically\s+supported|validated|flawless|groundbreaking|praise|endorse\w*|highly)\b",
            r"(?-i:\bYES\b(?!\s*(?:or|/|,?\s*PARTIAL|and)\b)|\bPARTIAL\b)|[\"']?yes[\"']?\s+(?:to\s+)?(?:every|all|each|throughout)",
            r"\b(?:as|are|is|be|being)\s+(?:fully\s+)?(?:met|satisfied|fulfilled|passed|ticked|checked|supported|complete"
            r"|accepted|convincing|beyond\s+doubt|the\s+best)\b",
            r"\b(?:claims?|criteri\w+|box\w*|everything)\s+(?:\w+\s+)?(?:supported|met|fulfilled|satisfied|validated|with\s+a\s+tick)",
            r"\b(?:meets?|fulfils?|fulfills?|satisf(?:y|ies))\s+(?:all|every|each)\b",
            r"\b(?:lenient|generous|kind|charitable|favou?rabl[ey]|positively?|glowing|merciful)\b",
            r"\b(?:accept(?:ance|ed)?|publi(?:sh|cation)\w*)\b(?!\s+(?:the\s+null|rates?))",
            r"\b(?:weakness\w*|flaws?|shortcomings?|negatives?|limitations|criticis\w+|penalis\w+|penaliz\w+|downgrade\w*)\b"
            r"|\b(?:lower|reduc|decreas)\w*\s+(?:the|its|any)\s+(?:score|tier|rating|grade|mark)",
            r"\b(?:pass|approve[ds]?|success)\b|\bto\s+be\s+answered\s+with\b|\b(?:should|must)\s+be\s+positive\b",
            rf"{_START}(?:rate|score|grade|mark|accept|award)\s+(?:\w+\s+){{0,3}}?{_THIS}",
            rf"\bwhen\s+(?:you\s+)?(?:evaluat|review|scor|judg|rat|grad)\w+\s+{_THIS}\s*[,:]",
            rf"{_JUDGE}\s+(?:that\s+|who\s+)?reading\s+{_THIS}\s+agrees?",
        )
    ),
    re.I,
)
OVERRIDE = re.compile(
    "|".join(
        (
            r"\b(?:ignore|disregard|forget|override|bypass|skip|drop)\s+(?:(?:all|any|the|of|your|my|these|every)\s+){0,3}"
            r"(?:previous|prior|above|earlier|preceding|other|existing|initial|system|all|any|your|scoring|grading"
            rf"|judging|review\w{{0,4}})\s+(?:\w+\s+){{0,2}}?{_RULES}\b",
            r"\b(?:ignore|disregard|forget)\s+everything\b",
            r"\b(?:ignore|disregard|forget)\s+(?:the|your)\s+(?:above|rubric|instructions|prompt)\b(?!\s+(?:token|template))",
            rf"\bfollow\s+(?:these|this|my|the\s+following)\s+(?:\w+\s+)?{_RULES}\s+(?:instead|rather|and\s+ignore|only)\b",
            rf"\binstead\s+of\s+(?:the|your|any)\s+(?:\w+\s+)?(?:rubric|(?:system|given|original)\s+{_RULES})\b",
            r"\b(?:new|updated|revised|hidden|secret|additional)\s+instructions?\s*(?:to\s+\w+\s*)?:",
            r"<\|?(?:im_start|im_end|system|user|assistant|endoftext|eot_id|begin_of_text|start_header_id)\|?>|\[/?(?:INST|SYSTEM|ASSISTANT|USER)\]"
            r"|<</?SYS>>|</?(?:system|start_of_turn|end_of_turn)>|^\W*###\s*(?:instruction|system|response)\b",
            r"(?-i:(?:^|[\s.:;,(])[CIMEV][1-6]\s*[:=]\s*[\"']?(?:(?:YES|PARTIAL)\b(?!\s+[a-z])|NO\s*(?:$|[.,;)\"'}])))",
            rf"{_START}(?:give|write|provide|produce|generate)\s+(?:only\s+)?(?:an?\s+)?(?:\w+\s+)?(?:positive|favou?rable"
            r"|glowing)\s+(?:\w+\s+)?(?:reviews?|assessments?|evaluations?|verdicts?|feedback)\b",
            rf"{_START}(?:do\s+not|don['\u2019]t|never)\s+(?:mention|highlight|report|list|raise|point\s+out|look\s+for)\s+"
            r"(?:any\s+|the\s+|its\s+)?(?:\w+\s+)?(?:negatives?|weakness\w*|flaws?|shortcomings?)\b",
            rf"^\W*(?:dear|hey|hello|hi)\W+(?:\w+\s+){{0,2}}?{_JUDGE}\b",
            r"[\"']status[\"']\s*:\s*[\"']?(?-i:YES|PARTIAL)",
            r"^\W*(?:final\s+|overall\s+)?(?:score|rating|grade|verdict|tier)\s*[:=]\s*(?:(\d{1,3})\s*(?:/|out\s+of)\s*\1\b"
            r"|mechanistically\s+supported|validated|accept|top\b)",
            rf"\b(?:note|message|attention|notice|memo|reminder)\s*(?:to|for|,|:)\s*(?:the\s+|any\s+|all\s+|an?\s+)?"
            rf"(?:\w+\s+)?(?!readers?\b){_JUDGE}\b(?!\s+(?:heads|in|of|that|to|for)\b)",
            rf"\bfor\s+(?:all\s+|any\s+)?{_SYSTEM}\s+(?:reviewers?|judges?|graders?|evaluators?|readers?|assistants?)"
            r"(?:\s+only)?\s*[:,]",
            rf"\b(?:if|when|since|because|as)\s+you\s+(?:are|were)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){{0,3}}?{_JUDGE}"
            rf"(?:\s*(?:$|[.!])|\s+(?-i:[A-Z])|\s*[,:;]?\s*(?:then\s+)?(?:please|you\b|do\s+not|ignore|{_VERB}))",
            r"\byou\s+(?:must|should|shall|(?:have|need)\s+to|are\s+(?:required|instructed|asked|told)\s+to)\s+"
            r"(?:\w+\s+){0,3}?(?:give|assign|award|rate|score|grade|mark|accept|recommend|conclude|ignore|judge)\b",
            rf"\bas\s+an?\s+(?:[\w-]+\s+){{0,3}}?{_JUDGE}\s*,?\s+(?:you\s+(?:must|should)|please|always|ignore)\b",
            rf"{_START}recommend\s+(?:\w+\s+){{0,3}}?(?:accept(?:ance|ing\s+this)?|publication)\s*(?:$|[.!]|of\s+this)",
            r"\b(?:pretend|act\s+as\s+if|make\s+believe)\s+(?:that\s+)?(?:\w+\s+){1,6}?(?:was|were|is|are|had|has|have)\b",
        )
    ),
    re.I,
)
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
# Who rates what is not this paper: people in a study, a protocol, a model's training.
ELSEWHERE = re.compile(
    r"\b(?:annotators?|participants?|crowd\w*|survey|protocol|validation\s+set|test\s+set|TF-?IDF|beam|tokens?|logits?"
    r"|loss|dataset|baselines?|null\s+hypothesis|fewer\s+than|students?|essays?|we\s+(?:ask|prompt|instruct|tell|told|asked)"
    r"|validated\s+(?:against|on|by)|human\s+\w+"
    r"|(?:asks?|asked|instructs?|tells?)\s+(?:the\s+|our\s+)?(?:reviewers?|judges?|raters?|models?)"
    r"|(?:raters|reviewers|judges)\s+agree|fiction|checkpoint\w*|hyper-?parameter\w*|learning\s+rate)\b",
    re.I,
)
SPELT = re.compile(r"\b(?:\w[.\-_*]){3,}\w\b")  # l.i.k.e this


def addressing_sentences(texts: Iterable[str]) -> list[str]:
    """The sentences of some texts that address a judge: at most 100, each cut to 2,000 characters."""
    found: list[str] = []
    for text in texts:
        for sentence in search_sentences(without_marks(text)):
            parts = (
                sentence[start : start + MAX_SEARCHED]
                for start in range(0, len(sentence), MAX_SEARCHED // 2)
            )
            addressing = next((part for part in parts if _addresses(part)), None)
            if addressing:
                found.append(addressing)
            if len(found) == MAX_SENTENCES:
                return found
    return found


def addresses_judge(text: str) -> bool:
    """Whether a sentence of a text addresses a judge."""
    return bool(addressing_sentences([text]))


@lru_cache(maxsize=4096)  # edited texts of one paper share most of their sentences
def _addresses(sentence: str) -> bool:
    sentence = SPELT.sub(lambda match: re.sub(r"[.\-_*]", "", match[0]), sentence)
    if OVERRIDE.search(sentence) or OTHER_LANGUAGES.search(sentence):
        return True
    if not (OUTCOME.search(sentence) and TARGET.search(sentence) and SPEECH.search(sentence)):
        return False
    return not ELSEWHERE.search(sentence)
