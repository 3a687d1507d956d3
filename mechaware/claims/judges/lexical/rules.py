"""The lexical judge's rules: the words that decide each status of a criterion, written from the rubric alone."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from mechaware.claims.judges.lexical.words import (
    ABLATE,
    ANY_NUMBER,
    FALL,
    INTERVENE,
    KEEP,
    LARGE,
    NUMBER,
    OFF_TASK,
    PART,
    PATCH,
    REPEATS,
    SAME,
    SLIGHT,
    STAY,
    STRUCTURE,
)
from mechaware.claims.rubric.criteria import Status


class Rule(NamedTuple):
    """A status, the patterns that a sentence needs for it, one that it must not have, and which negations undo it.

    "any": every negation in the clause of the first pattern. "undone": only words for what was not done, because a
    negative result is the evidence. "none": no negation, for statements of limits.
    """

    status: Status
    needs: tuple[str, ...]
    unless: str = ""
    undone_by: Literal["any", "undone", "none"] = "any"


def yes(*needs: str, unless: str = "", undone_by: Literal["any", "undone", "none"] = "any") -> Rule:
    """A rule for YES."""
    return Rule("YES", needs, unless, undone_by)


def partial(*needs: str, unless: str = "", undone_by: Literal["any", "undone", "none"] = "any") -> Rule:
    """A rule for PARTIAL."""
    return Rule("PARTIAL", needs, unless, undone_by)


ISOLATED = (
    r"\balone\b|in isolation|\bisolat\w+|by (?:itself|themselves)|on (?:its|their) own|\bonly (?:the|this|these|"
    r"those|it|them)\b|"
    r"everything else|(?:all|every) (?:the )?others?\b|the rest\b|all remaining|nothing else|outside (?:the|it|them)"
)
TEST_OF_EACH = (
    r"minimal\w*|superfluous|redundan\w+|dispensable|\beach (?:\w+ ){0,2}(?:head|component|neuron|member|edge|"
    r"class|one)|any (?:one|single|of)"
)
STRENGTHS = (
    r"\bscal(?:e|ed|es|ing)\b|strengths?|coefficients?|\bdose|multipl\w+|interpolat\w+|\bfactors?\b|fraction of|"
    r"steering"
)
RIVAL = (
    r"alternative|rival|competing|(?:other|another|different) (?:explanation|hypothes\w+|account|interpretation|"
    r"reading)"
)
CONFOUND = (
    r"control(?:s|led|ling)?\b|confound\w*|rul(?:e|es|ed|ing) out|exclud(?:e|es|ed|ing)|arti?e?facts?|spurious|"
    r"off-distribution|merely"
)

# C1, C5, E6, V2 and V3 depend on more than one sentence: see evidence.py.
RULES: Mapping[str, tuple[Rule, ...]] = {
    "C2": (
        yes(STRUCTURE),
        partial(
            r"attention (?:patterns?|maps?|scores?|weights?|probabilit\w+)|\battends? (?:\w+ )?(?:to|from|back)|"
            r"architecture (?:allows|permits)"
        ),
    ),
    "C3": (
        yes(
            r"\d[\d,]* (?:\w+ ){0,3}(?:prompts?|examples|sentences|templates?|inputs|pairs|items)|"
            r"templates? of the form|data ?set of",
            r"metric|logit difference|accuracy|probability|\bloss\b|correct|measure",
        ),
        partial(r"\btasks?\b|\bprompts?\b"),
    ),
    "C4": (
        yes(TEST_OF_EACH, rf"{ABLATE}|leav\w+ out|drop", rf"{FALL}|{NUMBER}", undone_by="undone"),
        partial(r"\bprun\w+|threshold\w*|smallest|minimal\w*|small subset|sparse\w*|fewest"),
    ),
    "I1": (
        yes(ABLATE, FALL, NUMBER, unless=SLIGHT),
        partial(ABLATE, FALL),
        partial(PATCH, FALL),
        partial(ABLATE, SLIGHT),
    ),
    "I2": (
        yes(ISOLATED, KEEP, unless=PART, undone_by="undone"),
        yes(
            r"path[- ](?:patching|level)|(?:single|direct|this|that) path",
            r"restor\w+|recover\w*|reinstat\w+|rescu\w+",
            unless=PART,
        ),
        partial(ISOLATED, KEEP, undone_by="undone"),
        partial(PATCH, r"restor\w+|recover\w*|reinstat\w+|rescu\w+"),
    ),
    "I3": (
        yes(OFF_TASK, STAY, ANY_NUMBER, undone_by="undone"),
        partial(OFF_TASK, STAY, undone_by="undone"),
    ),
    "I4": (
        yes(REPEATS, SAME, ANY_NUMBER, unless=r"\btwo\b|\bboth\b"),
        partial(REPEATS, SAME),
    ),
    "I5": (
        yes(
            CONFOUND,
            r"\brandom\w*|shuffl\w*|matched|resampl\w*|permut\w*|placebo|same (?:size|norm|number)|equal\w*|"
            r"control tasks?|swap\w*|scrambl\w*",
            unless=PART,
            undone_by="undone",
        ),
        partial(r"confound\w*|control (?:experiment|condition|task)s?|arti?e?facts?"),
    ),
    "M1": (
        yes(
            r"standard (?:deviations?|errors?)|confidence intervals?|\b9[059]% (?:CI|interval)|error bars?|"
            r"bootstrap\w*|±|\+/-|interquartile|"
            r"variance (?:across|over)"
        ),
    ),
    "M2": (
        yes(
            r"\b(?:zero|mean|resampl\w+)\b.*\b(?:zero|mean|resampl\w+)\b|\b(?:second|other|another|alternative|"
            r"different|both|two|three|several) "
            r"(?:\w+ ){0,2}(?:metrics?|measures?|ablations?|kinds? of ablation)",
            SAME,
            unless=r"\b(?:for|on|in) (?:part|some|one)\b|roughly|without numbers",
        ),
        partial(
            r"\b(?:second|another|alternative|other|different) (?:\w+ ){0,2}(?:metrics?|measures?|"
            r"kinds? of ablation|ablation methods?)|"
            r"\b(?:zero|resampl\w+)[- ]ablat\w+ as well"
        ),
    ),
    "M3": (
        yes(
            r"\brandom(?:ly)? (?:\w+[- ]){0,3}(?:heads?|components?|circuits?|neurons?|directions?|baseline|"
            r"subsets?|sets?|features?|units|chosen|"
            r"selected|drawn|sampled|initiali[sz]ed)|\bchance\b|shuffled|untrained|permutation"
        ),
        partial(
            r"\b(?:full|unablated|intact|original|unmodified|clean|whole|complete|base) (?:model|network|run)|"
            r"compared (?:with|to)|relative to|\bbaseline"
        ),
    ),
    "M4": (
        yes(
            r"thresholds?|hyper-?parameters?|sample sizes?|cut-?offs?|number of (?:prompts|examples|samples)|"
            r"choice of",
            r"\bvar(?:y|ied|ying|ies)\b|sweep\w*|swept|\brang(?:e|es|ing)\b|\bbetween\b|sensitiv\w+|\bfrom \S+ to\b",
            unless=r"\b(?:two|both) (?:\w+ )?(?:values|thresholds|settings)",
        ),
        partial(
            r"sensitivity (?:analysis|check)|\b(?:two|both|second|another|other) (?:\w+ )?(?:thresholds?|settings?|"
            r"cut-?offs?|sample sizes?)|doubl\w+ the"
        ),
    ),
    "M5": (
        yes(
            r"known (?:answers?|truth|mechanisms?|circuits?|solutions?)|ground[- ]truth|planted|(?:positive|"
            r"negative) controls?|calibrat\w+|"
            r"hand-(?:coded|built|written)",
            r"metric|measure\w*|\bscores?|estimat\w+|recover\w*|method|detect\w*|validat\w+|check\w*",
        ),
        partial(r"normali[sz]\w+|rescal\w+"),
    ),
    "M6": (
        yes(
            r"\b(?:each|every) (?:\w+ )?(?:step|stage|part|link|property)|all (?:two|three|four|the|"
            r"of the) (?:\w+ )?(?:steps|stages|parts)",
            r"measur\w+|metrics?|scor\w+|test\w*|quantif\w+",
        ),
        partial(
            r"\b(?:main|most|two of the|some) (?:\w+ )?(?:steps?|stages?|parts?)|\b(?:two|three|several|"
            r"both) (?:\w+ )?(?:metrics|measures)",
        ),
    ),
    "E1": (
        yes(
            INTERVENE,
            r"\b(?:several|many|all|different|\d+) (?:\w+ ){0,2}(?:sites|positions|kinds|classes)|held[- ]out|unseen|"
            r"\bnew (?:\w+ )?(?:prompts|inputs|text|sentences)|natural\w* (?:text|sentences|inputs)|web text",
            undone_by="undone",
        ),
        partial(INTERVENE),
        partial(r"(?:several|different|multiple|three|four|five|all) (?:\w+ )?conditions"),
    ),
    "E2": (
        yes(
            STRENGTHS,
            r"monoton\w+|graded|proportion\w*|smooth\w*|\blinear(?:ly)?\b|dose|(?:increas|grow|ris|fall|"
            r"chang)\w* with|steadily|gradual\w*|in step",
            unless=r"\b(?:one|two|single) (?:\w+ )?(?:strengths?|levels?|values?|settings?|factors?|scales?)",
        ),
        partial(
            r"\b(?:one|two|single|half|double|intermediate) (?:\w+ )?(?:strengths?|levels?|values?|scales?|factors?)"
        ),
    ),
    "E3": (
        yes(
            r"\b(?:comparable|matched|similar|neighbou?ring) (?:\w+ ){0,2}"
            r"(?:heads?|components?|neurons?|layers?|sets?)",
            rf"{STAY}|\bno such\b|no effect|\blittle\b|\bnothing\b|\bless\b",
            unless=r"\b(?:one|two|single) (?:\w+ )?(?:other|comparable|similar|neighbou?r\w*)",
            undone_by="undone",
        ),
        partial(
            r"\b(?:other|another|comparable|similar|neighbou?ring) (?:\w+ ){0,2}(?:heads?|components?|neurons?)",
            rf"{STAY}|\bno such\b|no effect|\blittle\b|\bnothing\b|\bless\b",
            undone_by="undone",
        ),
    ),
    "E4": (
        yes(LARGE, rf"{INTERVENE}|\beffects?\b|{FALL}|{KEEP}", unless=SLIGHT),
        partial(NUMBER, rf"{INTERVENE}|\beffects?\b|{FALL}|{KEEP}"),
    ),
    "E5": (
        yes(
            r"\b(?:other|another|second|different|further|new|additional|two|three|several) "
            r"(?:\w+ ){0,2}(?:tasks?|languages?)|\btransfers?\b|cross-task|generali[sz]\w+ to",
            rf"{SAME}|{KEEP}|\balso\b|\bworks?\b|generali[sz]\w+|transfers?|surviv\w*|persist\w*|carries",
            unless=r"unrelated|off-task|unaffected|unchanged|intact|chang\w+ by|side effects?|perplexity",
        ),
        partial(
            r"paraphras\w*|reword\w*|rephras\w*|out-of-distribution|\b(?:new|other|another|different|several|further) "
            r"(?:\w+ )?(?:templates?|wordings?|phrasings?|prompts|data ?sets?|corpora|corpus|domains?|distributions?)"
        ),
    ),
    "V1": (
        yes(
            r"\b(?:algorithmic|computational|representational|implementation\w*|functional) (?:level|description|"
            r"account|explanation|claims?)|"
            r"level of (?:description|analysis|explanation|the algorithm|algorithm\w*|implementation|"
            r"representation)|\bMarr|"
            r"describ\w+ the (?:algorithm|computation|representation|implementation)",
        ),
        partial(r"\balgorithms?\b|\brepresentations?\b|\bsteps\b|\bimplements?\b"),
    ),
    "V4": (
        yes(
            RIVAL,
            r"rul(?:e|es|ed|ing) out|exclud\w+|reject\w*|refut\w*|incompatible|\bfails?\b|(?:does|did) not|"
            r"no effect|unchanged|falsif\w*|contradict\w*|"
            r"argues? against|tested",
            undone_by="undone",
        ),
        partial(RIVAL, r"explanation|hypothes\w+|account|interpretation|reading|possib\w+", undone_by="none"),
    ),
    "V5": (
        yes(
            r"(?:do not|don[\u2019']t|make no|no) claims?\b|(?:limited|restricted|confined) to|"
            r"\bonly (?:tested|studied|one|this|these|for|to|in)\b|"
            r"(?:may|does|might|need) not (?:extend|generali[sz]e|hold|transfer)|"
            r"(?:have|has|was|were|did) not (?:been )?test",
            r"models?\b|tasks?\b|prompts?\b|templates?\b|inputs?\b|languages?\b|data ?sets?\b|heads?\b|"
            r"distributions?\b",
            undone_by="none",
        ),
        partial(r"limitations?|caveats?|caution|future work", undone_by="none"),
    ),
}
