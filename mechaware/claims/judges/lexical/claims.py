"""Finds the mechanism claims of a paper by rule: which components do what, one claim for each group of components."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mechaware.claims.judges.components import ComponentNames, Mention
from mechaware.claims.judges.lexical.sentences import Sentence
from mechaware.claims.judges.lexical.words import (
    CLAIM_CUE,
    MODE_WORDS,
    NEGATION,
    NO_CLAIM,
    NUMBER,
    OPENING_SECTION,
    OTHERS_WORK,
    OWN_WORK,
    STRONG_VERBS,
    SYSTEM_NOUN,
    TESTED_SUBJECT,
    WEAK_VERBS,
    pattern,
)

MAX_CLAIMS = 8
REACH = 45  # characters from a subject to its verb
NUMBERED_KEY = re.compile(r"L\d+H\d+|(?:MLP|neuron|feature|layer) \S+")
AND = re.compile(r"\s*(?:,|/|&|,?\s*\band\b|,?\s*\bor\b)\s*(?:(?:attention\s+)?heads?\s+)?")
ALIAS = re.compile(
    r"\s*[(\[,:]?\s*(?:(?:attention\s+)?heads?\s+)?|,?\s+(?:(?:is|are|as)\s+)?(?:an?|the|our)?\s*|\)?\s+(?:is|"
    r"are)\s+|"
    r",?\s+(?:which|that) we (?:call|term|name)\s+(?:an?|the|our)?\s*"
)
LOCATED = re.compile(r"\s+(?:in|of|at|from)\s+(?:the\s+)?")
NO_SUBJECT = re.compile(
    r"(?i)(?:discovery|patching|search|pruning|training|optimi[sz]\w+|learning|attention|alternative|other|"
    r"rival)\s+$|"
    r"\b(?:within|in|inside|into|of|from|than)\s+(?:this|the|our|that|an?)\s+(?:\w+\s+)?$"
)
MEMBERS = re.compile(r"\s+\(?(?:(?:consisting|composed|made up) )?(?:of|with|comprising|containing)\s+(?:\w+ ){0,3}\(?")
ARTICLE = re.compile(r"(?i)(?:\bthe\s+)?(?:\battention\s+)?(?:\bheads?\s+)?\(?$")
VERB = re.compile(rf"(?i)\b(?:(?P<strong>{STRONG_VERBS})|(?:{WEAK_VERBS}))")


class Candidate(NamedTuple):
    """A sentence that may state a claim, and the components that it is about."""

    sentence: Sentence
    statement: str
    keys: frozenset[str]
    system: bool
    strong: bool  # states an operation, not only that the components play a role
    score: int  # higher for a clearer claim


def find_claims(sentences: Sequence[Sentence], names: ComponentNames) -> list[Candidate]:
    """At most `MAX_CLAIMS` claims: the system's first, if there is one, then the components' in the paper's order.

    With more candidates, those are kept whose components most sentences are about.
    """
    aliases = _aliases(sentences, names)
    candidates = [
        candidate
        for sentence in sentences
        if _may_claim(sentence)
        for candidate in _candidates(sentence, names, aliases)
    ]
    systems = [candidate for candidate in candidates if candidate.system]
    parts = _distinct([candidate for candidate in candidates if not candidate.system])
    counts = {part: sum(bool(part.keys & sentence.about) for sentence in sentences) for part in parts}
    parts = sorted(
        sorted(parts, key=lambda part: -counts[part])[: MAX_CLAIMS - bool(systems)],
        key=lambda part: part.sentence.start,
    )
    if not systems:
        return parts
    system = max(systems, key=lambda candidate: (candidate.score, -candidate.sentence.start))
    return [system, *(part for part in parts if part.keys != system.keys)]


def description_mode(claim: Candidate) -> str:
    """The mode that the statement's words suggest; implementational-functional without such words."""
    return next(
        (mode for mode, words in MODE_WORDS if pattern(words).search(claim.statement)), "implementational-functional"
    )


def _may_claim(sentence: Sentence) -> bool:
    others = OTHERS_WORK.search(sentence.text) and not OWN_WORK.search(sentence.text)
    return not (others or NEGATION.search(sentence.text) or NO_CLAIM.search(sentence.text))


def _candidates(sentence: Sentence, names: ComponentNames, aliases: Sequence[frozenset[str]]) -> Iterator[Candidate]:
    text = sentence.text
    score = (
        2 * bool(CLAIM_CUE.search(text))
        + 2 * bool(OPENING_SECTION.search(sentence.section))
        - 2 * bool(pattern(NUMBER).search(text))
    )
    chains = _chains(names.mentions(text), text)
    noun = _system_noun(text)
    if noun is not None:
        verb = VERB.search(text, noun)
        strong = verb is not None and verb["strong"] is not None
        if verb or CLAIM_CUE.search(text):
            keys = chains[0].keys if len(chains) == 1 else frozenset()
            yield Candidate(sentence, text, _expand(keys, aliases), True, strong, score + strong)
    for chain, after in zip(chains, [*chains[1:], *(None for _ in chains[:1])], strict=True):
        verb = VERB.search(text, chain.end, min(len(text), chain.end + REACH + 20))
        gap = text[chain.end : verb.start()] if verb else ""
        if not verb or len(gap) > REACH or (after and after.start < verb.start()):
            continue
        if re.search(r"[;:]|\bto $|\bwe\b|\b(?:by|of|than|with) $", gap) or TESTED_SUBJECT.search(text[: chain.start]):
            continue
        if noun is not None and MEMBERS.fullmatch(text[noun : chain.start]):
            continue  # "a circuit of heads 5.1 and 9.9 moves": the circuit does
        strong = verb["strong"] is not None
        start = chain.start - len(ARTICLE.search(text[: chain.start])[0])  # type: ignore[index]
        statement = text[start].upper() + text[start + 1 :]
        yield Candidate(sentence, statement, _expand(chain.keys, aliases), False, strong, score + strong)


def _system_noun(text: str) -> int | None:
    """The end of the system's noun, if it is the subject of the claim; None if there is no such noun."""
    for match in pattern(SYSTEM_NOUN).finditer(text):
        before = text[: match.start()]
        if not NO_SUBJECT.search(before) and not TESTED_SUBJECT.search(before):
            return match.end()
    return None


def _chains(mentions: Sequence[Mention], text: str) -> list[Mention]:
    """Mentions merged where the next one lists, explains or locates them: "mover heads (9.6 and 9.9) in layer 9"."""
    chains: list[Mention] = []
    for mention in mentions:
        gap = text[chains[-1].end : mention.start] if chains else "-"
        if any(form.fullmatch(gap) for form in (AND, ALIAS)):
            chains[-1] = Mention(chains[-1].start, mention.end, chains[-1].keys | mention.keys)
        elif LOCATED.fullmatch(gap):
            chains[-1] = chains[-1]._replace(end=mention.end)
        else:
            chains.append(mention)
    return chains


def _aliases(sentences: Sequence[Sentence], names: ComponentNames) -> list[frozenset[str]]:
    """Groups of keys for the same components: a class and the members that the paper lists beside its name."""
    groups: list[frozenset[str]] = []
    for sentence in sentences:
        for chain in _chains(names.mentions(sentence.text), sentence.text):
            classes = [key for key in chain.keys if not NUMBERED_KEY.fullmatch(key)]
            if len(classes) != 1 or len(chain.keys) == 1:
                continue
            same = [group for group in groups if classes[0] in group]
            groups = [group for group in groups if group not in same]
            groups.append(chain.keys.union(*same))
    return groups


def _expand(keys: frozenset[str], aliases: Sequence[frozenset[str]]) -> frozenset[str]:
    """The keys, with the members of each class among them, and with each class whose members are all among them."""
    return keys.union(
        *(
            group
            for group in aliases
            if any(not NUMBERED_KEY.fullmatch(key) for key in group & keys) or _all_members(group, keys)
        )
    )


def _all_members(group: frozenset[str], keys: frozenset[str]) -> bool:
    return {key for key in group if NUMBERED_KEY.fullmatch(key)} <= keys


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate of each group of components; two groups that share half of their components count as one."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda candidate: (-candidate.score, candidate.sentence.start)):
        if all(2 * len(candidate.keys & other.keys) < len(candidate.keys | other.keys) for other in kept):
            kept.append(candidate)
    return kept
