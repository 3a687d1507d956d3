"""The leak audit of the lexical judge: by what the evidence names, without the paper."""

import re
from collections.abc import Iterable, Sequence

from mechaware.claims.judges.components import ComponentNames
from mechaware.claims.judges.lexical.words import OWN_IN_EVIDENCE, WHOLE_IN_EVIDENCE
from mechaware.claims.rubric.criteria import LEAK_PRONE
from mechaware.claims.rubric.records import Claim, Downgrade


def propose_leaks(claims: Sequence[Claim]) -> list[Downgrade]:
    """The leaks by rule (section 3.5): evidence that names the whole circuit and none of the claim's own components.

    System-level claims are left alone, and so is evidence that names neither: in doubt nothing changes.
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
    names = ComponentNames("\n".join([evidence, *components, *components]))  # twice: a class needs two mentions
    in_evidence = names.keys_in(evidence)
    for component in components:
        # "9.9 (Name Mover)" is named by its number and by its role.
        for name in filter(None, (part.strip().rstrip("s") for part in re.split(r"[(),;]", component))):
            if re.search(rf"(?i)(?<![\w.]){re.escape(name)}s?(?![\w.]*\d)", evidence):
                return True
        if in_evidence & names.keys_in(component):
            return True
    return False
