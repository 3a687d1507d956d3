"""The lexical judge: claims and statuses by keyword and pattern, the floor that a language model has to beat."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from mechaware.claims.judges.lexical.claims import Candidate, description_mode, display, find_claims
from mechaware.claims.judges.lexical.rules import RULES, Rule
from mechaware.claims.judges.lexical.text import Names, Sentence, read_sentences
from mechaware.claims.judges.lexical.words import (
    ADDRESSES_JUDGE,
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
    OTHERS_WORK,
    OWN_IN_EVIDENCE,
    OWN_WORK,
    PAPER_WIDE,
    SKIPPED_SECTION,
    UNIVERSAL,
    WHOLE,
    WHOLE_IN_EVIDENCE,
    pattern,
)
from mechaware.claims.rubric.criteria import CRITERIA, EVIDENCE_FAMILIES, LEAK_PRONE, Status
from mechaware.claims.rubric.records import Claim, Downgrade, Judgement, Run, Usage

FEW_COMPONENTS = 2  # a "system" of so few is what its experiments act on
Decision = tuple[Status, Sentence | None]
NONE: Decision = ("NO", None)


def judge(text: str, *, paper: str, judge: str, run: int) -> Run:
    """Judge a paper's text by the tables of lexical_rules.py.

    It has no settings and no chance: each run gives the same claims. Evidence is the sentence that decided, and
    `quotes` its place in `text`. Sentences that speak to a judge, of others' work and of related-work sections are
    left out.
    """
    names = Names(text)
    sentences = [sentence for sentence in read_sentences(text, names) if not _is_left_out(sentence)]
    found = find_claims(sentences, names)
    parts = frozenset().union(*(claim.keys for claim in found if not claim.system))
    base = _base_family(text)
    claims = []
    for claim in found:
        criteria, families = _Scope(claim, sentences).decide(description_mode(claim), base)
        claims.append(
            Claim(
                statement=claim.statement,
                description_mode=description_mode(claim),
                evidence_families=families,
                components=display(claim.keys | parts if claim.system else claim.keys, names),
                criteria={code: _judgement(*criteria[code], text) for code in CRITERIA},
            )
        )
    return Run(judge=judge, paper=paper, run=run, claims=claims, usage=Usage())


def lexical_audit(claims: Sequence[Claim]) -> list[Downgrade]:
    """The leak audit by rule (section 3.5): evidence that names the whole and none of the claim's own components.

    Claims with `system` are left alone, and so is evidence that names neither: in doubt nothing changes.
    """
    downgrades = []
    for index, claim in enumerate(claims):
        for code in LEAK_PRONE:
            judgement = claim.criteria[code]
            if claim.system or judgement.status is None or judgement.status == "NO":
                continue
            whole = WHOLE_IN_EVIDENCE.search(judgement.evidence)
            if whole and not _names_own(judgement.evidence, claim.components):
                reason = f'the evidence speaks of "{whole[0]}" and names none of the claim\'s components'
                downgrades.append(
                    Downgrade(claim=index, criterion=code, before=judgement.status, after="NO", reason=reason)
                )
    return downgrades


def _names_own(evidence: str, components: Iterable[str]) -> bool:
    if OWN_IN_EVIDENCE.search(evidence):
        return True
    names = Names("\n".join([evidence, *components, *components]))
    said = frozenset().union(*(mention.keys for mention in names.mentions(evidence)))
    for component in components:
        # "9.9 (Name Mover)" is named by its number and by its role.
        for name in filter(None, (part.strip().rstrip("s") for part in re.split(r"[(),;]", component))):
            if re.search(rf"(?i)(?<![\w.]){re.escape(name)}s?(?![\w.]*\d)", evidence):
                return True
        if said & frozenset().union(*(mention.keys for mention in names.mentions(component))):
            return True
    return False


class _Scope:
    """The sentences that count for one claim, and what they decide."""

    def __init__(self, claim: Candidate, sentences: Sequence[Sentence]) -> None:
        self.claim = claim
        self.sentences = sentences
        self.own = [sentence for sentence in sentences if self._is_own(sentence)]
        self.shared = [one for one in sentences if not one.about and UNIVERSAL.search(one.text)]
        self.paper_wide = [one for one in sentences if not one.about or one in self.own]

    def _is_own(self, sentence: Sentence) -> bool:
        if not self.claim.system:
            # What the whole circuit reaches is no evidence of a part, even if the sentence names the part.
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
        """Status and deciding sentence of every criterion, and the families of evidence."""
        decisions = {code: _by_rules(rules, self._sentences(code)) for code, rules in RULES.items()}
        first = {family: self._first_with(words) for family, words in FAMILY_WORDS.items()}
        families = [family for family in EVIDENCE_FAMILIES if first[family]]
        shown = first[families[0]] if families else None
        decisions["C1"] = ("YES" if self.claim.strong else "PARTIAL", self.claim.sentence)
        decisions["C5"] = ("YES" if len(families) > 2 else "PARTIAL", shown) if len(families) > 1 else NONE
        met = [family for family in MODE_NEEDS[mode] if family in families]
        if met:
            decisions["V2"] = ("YES" if len(met) == len(MODE_NEEDS[mode]) else "PARTIAL", first[met[0]])
        else:
            decisions["V2"] = NONE
        decisions["V3"] = self._coherence(shown)
        decisions["E6"] = _other_architecture(self._sentences("E6"), base)
        return decisions, families

    def _first_with(self, words: str) -> Sentence | None:
        return _first(self._sentences("C5"), lambda one: _holds(words, one))

    def _coherence(self, evidence: Sentence | None) -> Decision:
        """Contradicted, with a gap, told as one story; the mere presence of evidence is a story half told."""
        sentences = self._sentences("V3")
        against = _first(sentences, lambda one: _holds(CONTRADICTION, one))
        if against:
            return "NO", against
        gap = _first(sentences, lambda one: bool(pattern(GAP).search(one.text)))
        if gap:
            return "PARTIAL", gap
        told = _first(sentences, lambda one: _holds(COHERENT, one))
        if told and evidence:
            return "YES", told
        return ("PARTIAL", evidence) if evidence else NONE


def _first(sentences: Iterable[Sentence], holds: Callable[[Sentence], bool]) -> Sentence | None:
    return next((sentence for sentence in sentences if holds(sentence)), None)


def _by_rules(rules: Sequence[Rule], sentences: Sequence[Sentence]) -> Decision:
    """The highest status that a sentence earns, and the first sentence that earns it."""
    for rule in sorted(rules, key=lambda rule: rule.status != "YES"):
        sentence = _first(sentences, lambda one, rule=rule: _earns(rule, one))  # type: ignore[misc]
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
    starts = [0, *(match.end() for match in CLAUSE.finditer(text)), len(text)]
    for match in pattern(words).finditer(text):
        start = max(place for place in starts if place <= match.start())
        end = min(place for place in starts if place >= match.end())
        if not NEGATION.search(text, start, end):
            return True
    return False


def _other_architecture(sentences: Sequence[Sentence], base: str | None) -> Decision:
    """E6: found in a family other than the paper's own. Another size of the same family is none."""
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


def _base_family(text: str) -> str | None:
    """The family that the paper names most, the first of equals."""
    names = [_family(name) for name in FAMILIES_OF_MODELS.findall(text)]
    return max(names, key=names.count, default=None)


def _family(name: str) -> str:
    return name.lower().replace("-", "")


def _is_left_out(sentence: Sentence) -> bool:
    text = sentence.text
    others = OTHERS_WORK.search(text) and not OWN_WORK.search(text)
    return bool(ADDRESSES_JUDGE.search(text) or others or SKIPPED_SECTION.search(sentence.section))


def _judgement(status: Status, sentence: Sentence | None, text: str) -> Judgement:
    if sentence is None:
        return Judgement(status=status)
    place = (sentence.start, sentence.end)
    return Judgement(status=status, evidence=f'"{" ".join(text[slice(*place)].split())}"', quotes=[place])
