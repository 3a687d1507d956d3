"""The lexical judge's vocabulary: words of experiments and claims, and sentences that are no evidence."""

import re
from collections.abc import Mapping
from functools import cache

# Words that several criteria share.
ABLATE = (
    r"ablat\w+|knock(?:ing|ed|s)?[- ]?out|knock\w* \w+ out|remov(?:al|ing|ed|es?)\b|zero(?:ing|ed)\b|lesion\w*|"
    r"silenc\w+|"
    r"delet\w+|corrupt\w+|disabl\w+|replac(?:ing|ed)|without (?:it|them|the|this|these)\b"
)
PATCH = r"patch\w*|interchange|swap\w*|insert\w*|transplant\w*|splic\w+"
INTERVENE = rf"{ABLATE}|{PATCH}|interven\w+|steer\w*|scaling|scaled|inject\w*|edit(?:ing|ed)|clamp\w*"
FALL = (
    r"\b(?:drop|fall|fell|reduc|lower|decreas|degrad|destroy|collaps|cuts?\b|costs?\b|eliminat|abolish|impair|hurt|"
    r"los[est]|"
    r"disrupt|shrink|shrank|halv|breaks?\b|broke|wip|diminish|declin)\w*"
)
KEEP = (
    r"\b(?:keep|kept|retain|recover|restor|preserv|reach|achiev|suffic|reproduc|maintain|attain|solv|produc|"
    r"enough)\w*"
)
NUMBER = (
    r"\d+(?:\.\d+)?\s*(?:%|percent|per cent|percentage|points?|logits?|nats|bits)|\bfrom \d[\d.]*\D{0,20}to \d|"
    r"\bby (?:about |over |more than |under |less than |at most )?\d|\bto \d"
)
ANY_NUMBER = r"(?<![\w.\-])\d"
LARGE = (
    r"\bfrom \d[\d.]*\D{0,20}to \d|(?<![\d.])(?:[2-9]\d|100)(?:\.\d+)?\s*(?:%|percent|per cent|points|percentage)|"
    r"\bhal(?:f|ves|ved)\b|two[- ]thirds|three[- ]quarters|nearly all|almost all"
)
SLIGHT = (
    r"\b(?:slight\w*|small|weak\w*|modest\w*|mixed|mild\w*|partial\w*|partly|minor|marginal\w*|somewhat|"
    r"inconsistent\w*)\b"
)
PART = (
    r"\b(?:partial\w*|partly|part of|some of|half of|only (?:about )?(?:\d|half|some|a )|a (?:third|quarter|"
    r"fraction)|roughly half)\b"
)
OFF_TASK = (
    r"\b(?:other|unrelated|different|control|distractor|off-target) (?:\w+ ){0,2}(?:tasks?|behaviou?rs?|capabilit\w+|"
    r"abilit\w+|benchmarks?|skills)|off-task|perplexity|language[- ]model\w* loss|general (?:text|capabilit\w+)|"
    r"unrelated"
)
STAY = (
    r"unchanged|unaffected|intact|untouched|spare[sd]?\b|negligible|preserv\w+|\bstay\w*|\bremain\w*|barely|hardly|"
    r"no (?:\w+ ){0,2}(?:effect|change|drop|loss|damage)|\b(?:does|did|do) not (?:change|affect|hurt|harm|alter|"
    r"move|fall|drop)|"
    r"(?:less|fewer|no more) than|\bunder \d|at most|\bbelow \d|\bwithin \d"
)
SAME = (
    r"\b(?:same|consisten\w+|holds?|held|repeat\w*|replicat\w*|agree\w*|similar\w*|reproduc\w*|identical|"
    r"confirm\w*|stable)\b"
)
REPEATS = (
    r"\b(?:across|in|for|over|on) (?:all |every |each |each of )?(?:the |of the )?(?:\w+ ){0,3}(?:templates?|"
    r"prompt (?:sets?|famil"
    r"\w+|variants?|types?)|seeds?|splits?|positions|subsets?|folds?|batches|draws|samples of prompts)"
)
NO_SIZES = (
    r"\b(?:larger|smaller|bigger|sizes?|medium|small|large|XL|scales?|seeds?|checkpoints?|\d+(?:\.\d+)?\s?[MB])\b"
)
STRUCTURE = (
    r"\b(?-i:OV|QK|W_?[QKVOEU]{1,2})\b|weight[- ](?:space|matri\w+|products?|level|based)|"
    r"composition (?:scores?|analysis)|"
    r"[KQV]-composition|virtual weights?|eigenvalues?|singular (?:values?|vectors?)|(?:input|output|read|"
    r"write) weights|"
    r"\bweights (?:of|show|map|project|align|connect|implement)|(?:from|in) (?:the|its|their) weights"
)

# A sentence with such words is no evidence, whatever else it contains.
NOT_DONE = re.compile(
    r"(?i)\b(?:did|do|does|have|has|had|was|were|is|are|could|can)(?: not|n[\u2019']t|"
    r"not)(?: yet)?(?: been)?(?: yet)? (?:test|measur|"
    r"check|control|r[au]n|var[yi]|report|examin|evaluat|stud|investigat|perform|attempt|tr[yi]e?|quantif|compar|"
    r"assess|"
    r"establish|explor|consider|includ|replicat|repeat|estimat|prob|isolat|rul|exclud|attempt|ablat|interven|"
    r"analy)|never (?:test|"
    r"measur|check|var[yi]|r[au]n|examin)|future work|left (?:open|to|for)|\bwe leave\b|untested|unmeasured|"
    r"(?:un)?known whether|"
    r"remains? (?:open|unclear|unknown|to be)|\bwe (?:lack|would|could|plan|hope|expect|omit|skip)|would (?:be|"
    r"need|require|have|"
    r"show)|could be (?:tested|measured|run)|beyond (?:our|the) scope|\bno (?:\w+ )?(?:tests?|experiments?|"
    r"measurements?|controls?|"
    r"baselines?|attempts?|comparisons?|error bars|analysis|ablations?|interventions?)\b|without (?:an? |"
    r"any )?(?:controls?|"
    r"baselines?|testing|measuring|checking|error bars|comparison)"
)
NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|without|neither|nor|cannot|hardly|fails? to|failed to|lacks?)\b|n[\u2019']t\b"
)
CLAUSE = re.compile(r"(?i);|,? (?:but|whereas|while|although|though|yet)\b")
OTHERS_WORK = re.compile(
    r"(?i)\b(?:prior|previous|earlier|past|existing) (?:work|studies|papers|research)|"
    r"et al\.?,? ?\(?(?:\d{4})?\)?,? (?:also )?(?:show|"
    r"find|found|report|demonstrat|observ|propos|argu|claim|identif|introduc)"
)
OWN_WORK = re.compile(r"(?i)\b(?:we|our|us)\b")
SKIPPED_SECTION = re.compile(r"related work|background|prior work")
# A statement about all experiments counts for each claim, except on the leak-prone criteria.
UNIVERSAL = re.compile(
    r"(?i)\ball (?:\w+ )?(?:results|values|numbers|effects|experiments|ablations|interventions|measurements|claims|"
    r"figures|components)|"
    r"\bevery (?:\w+ )?(?:experiment|result|effect|claim|value|component|number|intervention|ablation)|"
    r"\beach (?:head|component|class|claim|group|"
    r"experiment|result|intervention|ablation)|\bthroughout\b|\bindividually\b|\breported (?:values|numbers|effects)"
)
WHOLE = re.compile(
    r"(?i)\b(?:full|whole|entire|complete|overall) (?:\w+ )?(?:circuit|system|sub-?network|mechanism|pathway|"
    r"algorithm)|circuit as a whole|"
    r"\bthe (?:\w+ )?circuit (?:alone|recover|reach|achiev|retain|keep|preserv|attain|generali|transfer|hold|work|"
    r"is robust|explain)"
)
WHOLE_IN_EVIDENCE = re.compile(
    r"(?i)\b(?:circuit|sub-?network|algorithm|pathway|system|all (?:\w+ )?(?:heads|components|neurons)|(?:full|"
    r"whole|entire|complete) "
    r"(?:model|network|mechanism)|model as a whole|the model)\b"
)
OWN_IN_EVIDENCE = re.compile(
    r"(?i)\b(?:this|these|both|the (?:two|three|four)) (?:\w+ )?(?:heads?|neurons?|components?|layers?|mlps?|"
    r"features?)\b"
)

# Criteria whose sentences count for every claim of a paper: statements of the task, the level and the limits.
PAPER_WIDE = ("C3", "V1", "V5")

FAMILY_WORDS: Mapping[str, str] = {
    "causal": rf"{ABLATE}|patch(?:ing|ed)|interven\w+|steer\w*|causal scrubbing",
    "structural": STRUCTURE,
    "representational": (
        r"\bprob(?:e|es|ed|ing)\b|linear(?:ly)? (?:classifier|decod\w+|separab\w+)|cosine|\bPCA\b|logit lens|"
        r"sparse autoencoder|\bSAE\b|decod(?:ed|able)"
    ),
    "behavioral": (
        r"behaviou?ral (?:tests?|experiments?|analys\w+|evidence|data)|error patterns?|minimal pairs?|adversarial|"
        r"response patterns?"
    ),
    "information-theoretic": (
        r"mutual information|\bentropy\b|\bbits\b|information[- ]theoretic|V-information|minimum description length"
    ),
}
# The families of evidence that a description mode needs.
MODE_NEEDS: Mapping[str, tuple[str, ...]] = {
    "computational": ("causal", "behavioral"),
    "algorithmic": ("causal", "structural"),
    "representational": ("representational", "causal"),
    "implementational-functional": ("causal",),
    "implementational-connectomic": ("structural", "causal"),
    "implementational-topographic": ("causal",),
}
MODE_WORDS: tuple[tuple[str, str], ...] = (  # the first that matches a statement
    ("algorithmic", r"\balgorithm\w*|\bsteps\b|\bfirst\b.*\bthen\b|\bcircuit\b"),
    ("representational", r"\b(?:encod|represent|stor)\w+|direction\b|subspace|linearly"),
    ("implementational-connectomic", r"composition|\bcompos\w+ with|connect\w*|reads? from|feeds?\b|\bpaths? from"),
    ("implementational-topographic", r"locali[sz]\w+|located|concentrated|\bresides?\b"),
    ("computational", r"\bcomputes? the function"),
)

STRONG_VERBS = (
    r"(?:implement|comput|cop(?:y|ie)|mov|encod|transfer|detect|suppress|writ|read|inhibit|promot|represent|track|"
    r"select|match|compar|"
    r"aggregat|perform|carr(?:y|ie)|rout|boost|produc|convert|identif(?:y|ie)|determin|decod|predict|retriev|"
    r"extract|propagat|attend|"
    r"pass|shift|rotat|solv|add|gat|broadcast|send|forward|bind|merg)(?:e|s|es)?\b|stores?\b|"
    r"maps? (?:\w+ ){0,3}(?:to|onto)\b|"
    r"(?:acts?|serves?|functions?|works?) as\b|(?:is|are) responsible for\b"
)
WEAK_VERBS = (
    r"contributes?\b|plays? an? (?:\w+ )?role|(?:is|are) (?:involved|implicated|important|associated|relevant)|"
    r"matters?\b|supports?\b|mediates?\b|drives?\b"
)
CLAIM_CUE = re.compile(
    r"(?i)\bwe (?:\w+ )?(?:claim|show|find|argue|propose|conclude|identify|hypothesi[sz]e|demonstrate|establish|"
    r"report|discover|describe)\b"
)
OPENING_SECTION = re.compile(r"abstract|introduction|conclusion|summary")
SYSTEM_NOUN = r"\b(?:circuit|algorithm|mechanism|sub-?network|sub-?graph|pathway)\b"
TESTED_SUBJECT = re.compile(
    r"(?i)(?:\b(?:\w*ablat|knock|remov|patch|zero|scal|steer|replac|interven|prob|train|silenc|restor|swap|isolat|"
    r"clamp|disabl|delet)\w*|\b(?:when|if|after|without|"
    r"with|once|whether|how|that only|alternative|than))\b[^,;:]{0,30}$"
)
NO_CLAIM = re.compile(r"(?i)\?$|\b(?:is|are) defined|\bwe (?:define|denote)|\bdenotes?\b|notation|figure \d|table \d")

FAMILIES_OF_MODELS = re.compile(
    r"(?i)\b(GPT-?2|GPT-?Neo|GPT-?J|Pythia|Llama|Mistral|Gemma|Qwen|OPT|BERT|RoBERTa|T5|Mamba|BLOOM|Phi|OLMo|"
    r"SmolLM|Falcon|ViT)\b"
)
OTHER_ARCHITECTURE = (
    r"(?:another|different|second|other|further|two|three|several) (?:\w+ )?(?:architectures?|(?:model )?famil(?:y|"
    r"ies))|across (?:\w+ )?(?:architectures|"
    r"(?:model )?families)|cross-architecture"
)
FOUND_THERE = (
    rf"{SAME}|\b(?:also|find|found|present|appears?|exists?|recover\w*|obtain\w*|observ\w*|look\w*|suggest\w*)\b"
)
ONLY_SEEN_THERE = (
    rf"{PART}|attention (?:patterns?|maps?)|suggest\w*|preliminary|observ\w*|by inspection|qualitativ\w*|"
    rf"without (?:an )?interven\w*"
)
COHERENT = (
    r"consistent with|fits? (?:together|with)|\btogether\b|accounts? for|explain\w*|in line with|follows from|"
    r"agrees? with|coheren\w*|in sequence"
)
GAP = (
    r"unexplained|puzzl\w+|unclear why|(?:do|does|can)(?: ?not) (?:yet )?(?:explain|account|understand|know why)|"
    r"remains? unclear|\bgap\b"
)
CONTRADICTION = r"contradict\w*|at odds|conflicts? with|inconsistent with|incompatible with"


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A pattern of these tables, in either case."""
    return re.compile(text, re.IGNORECASE)
