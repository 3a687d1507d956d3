"""Decides the criteria of a claim from the sentences of the paper, by the rules and a few criteria of their own."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from mechaware.claims.judges.lexical.claims import Candidate
from mechaware.claims.judges.lexical.rules import RULES, Rule
from mechaware.claims.judges.lexical.sentences import Sentence
from mechaware.claims.judges.lexical.words import (
    CLAUSE,
    COHERENT,
    CONTRADICTION,
    FAMILIES_OF_MODELS,
    FAMILY_WORDS,
    FOUND_THERE,
    GAP,
    MODE_NEEDS,
    NEGATION,
    NO_SIZES,
    NOT_DONE,
    ONLY_SEEN_THERE,
    OTHER_ARCHITECTURE,
    PAPER_WIDE,
    UNIVERSAL,
    WHOLE,
    pattern,
)
from mechaware.claims.rubric.criteria import EVIDENCE_FAMILIES, LEAK_PRONE, Status

FEW_COMPONENTS = 2  # a "system" of so few counts experiments on its components as its own
Decision = tuple[Status, Sentence | None]
NONE: Decision = ("NO", None)


class Evidence:
    """The sentences that count as evidence for one claim, and the statuses that they decide."""

    def __init__(self, claim: Candidate, sentences: Sequence[Sentence]) -> None:
        self.claim = claim
        self.sentences = sentences
        self.own = [sentence for sentence in sentences if self._is_own(sentence)]
        self.shared = [sentence for sentence in sentences if not sentence.about and UNIVERSAL.search(sentence.text)]
        self.paper_wide = [sentence for sentence in sentences if not sentence.about or sentence in self.own]

    def _is_own(self, sentence: Sentence) -> bool:
        if not self.claim.system:
            # A result of the whole circuit is no evidence for a part, even if the sentence names the part.
            return bool(sentence.about & self.claim.keys) and not WHOLE.search(sentence.text)
        few = len(self.claim.keys) <= FEW_COMPONENTS and bool(sentence.about & self.claim.keys)
        return few or not sentence.about

    def _sentences(self, code: str) -> Sequence[Sentence]:
        if code in PAPER_WIDE:
            return self.paper_wide
        if code in LEAK_PRONE:
            return self.own
        return sorted({*self.own, *self.shared}, key=lambda sentence: sentence.start)

    def decide(self, mode: str, base: str | None) -> tuple[Mapping[str, Decision], list[str]]:
        """Status and deciding sentence of every criterion, and the families of evidence.

        `mode` is the claim's description mode, `base` the model family that the paper studies.
        """
        decisions = {code: _by_rules(rules, self._sentences(code)) for code, rules in RULES.items()}
        first = {family: self._first_with(words) for family, words in FAMILY_WORDS.items()}
        families = [family for family in EVIDENCE_FAMILIES if first[family]]
        shown = first[families[0]] if families else None
        decisions["C1"] = ("YES" if self.claim.strong else "PARTIAL", self.claim.sentence)
        decisions["C5"] = ("YES" if len(families) > 2 else "PARTIAL", shown) if len(families) > 1 else NONE
        needed = [family for family in MODE_NEEDS[mode] if family in families]
        if needed:
            decisions["V2"] = ("YES" if len(needed) == len(MODE_NEEDS[mode]) else "PARTIAL", first[needed[0]])
        else:
            decisions["V2"] = NONE
        decisions["V3"] = self._coherence(shown)
        decisions["E6"] = _other_architecture(self._sentences("E6"), base)
        return decisions, families

    def _first_with(self, words: str) -> Sentence | None:
        return _first(self._sentences("C5"), lambda sentence: _holds(words, sentence))

    def _coherence(self, evidence: Sentence | None) -> Decision:
        """V3: NO for a contradiction, PARTIAL for a gap or for evidence alone, YES for a coherent account of it."""
        sentences = self._sentences("V3")
        contradiction = _first(sentences, lambda sentence: _holds(CONTRADICTION, sentence))
        if contradiction:
            return "NO", contradiction
        gap = _first(sentences, lambda sentence: bool(pattern(GAP).search(sentence.text)))
        if gap:
            return "PARTIAL", gap
        account = _first(sentences, lambda sentence: _holds(COHERENT, sentence))
        if account and evidence:
            return "YES", account
        return ("PARTIAL", evidence) if evidence else NONE


def _first(sentences: Iterable[Sentence], holds: Callable[[Sentence], bool]) -> Sentence | None:
    return next((sentence for sentence in sentences if holds(sentence)), None)


def _by_rules(rules: Sequence[Rule], sentences: Sequence[Sentence]) -> Decision:
    """The highest status that a sentence earns, and the first sentence that earns it."""
    for rule in sorted(rules, key=lambda rule: rule.status != "YES"):
        sentence = _first(sentences, lambda sentence, rule=rule: _earns(rule, sentence))  # type: ignore[misc]
        if sentence:
            return rule.status, sentence
    return NONE


def _earns(rule: Rule, sentence: Sentence) -> bool:
    text = sentence.masked
    if rule.unless and pattern(rule.unless).search(text):
        return False
    if not all(pattern(need).search(text) for need in rule.needs):
        return False
    if rule.undone_by == "none":
        return True
    if NOT_DONE.search(text):
        return False
    return rule.undone_by == "undone" or _is_affirmed(rule.needs[0], text)


def _holds(words: str, sentence: Sentence) -> bool:
    return _earns(Rule("YES", (words,)), sentence)


def _is_affirmed(words: str, text: str) -> bool:
    """Whether the words stand in a clause without negation."""
    bounds = [0, *(match.end() for match in CLAUSE.finditer(text)), len(text)]
    for match in pattern(words).finditer(text):
        start = max(bound for bound in bounds if bound <= match.start())
        end = min(bound for bound in bounds if bound >= match.end())
        if not NEGATION.search(text, start, end):
            return True
    return False


def _other_architecture(sentences: Sequence[Sentence], base: str | None) -> Decision:
    """E6: a result in a model family other than the paper's own. Another size of the same family does not count."""
    weaker: Sentence | None = None
    for sentence in sentences:
        others = {_family(name) for name in FAMILIES_OF_MODELS.findall(sentence.text)} - {base}
        named = pattern(OTHER_ARCHITECTURE).search(sentence.text) and not pattern(NO_SIZES).search(sentence.text)
        if not (others or named) or not _holds(FOUND_THERE, sentence):
            continue
        if not pattern(ONLY_SEEN_THERE).search(sentence.text):
            return "YES", sentence
        weaker = weaker or sentence
    return ("PARTIAL", weaker) if weaker else NONE


def base_family(text: str) -> str | None:
    """The model family that the paper names most often, the first one in a tie; None if it names none."""
    names = [_family(name) for name in FAMILIES_OF_MODELS.findall(text)]
    return max(names, key=names.count, default=None)


def _family(name: str) -> str:
    return name.lower().replace("-", "")
