"""Judges a paper with a model that holds it whole; what of its replies is unusable is asked for again once."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.model import LanguageModel
from mechaware.claims.judges.language_model.prompts import Messages, Prompts
from mechaware.claims.judges.language_model.replies import (
    FoundClaim,
    JudgedClaims,
    RawClaims,
    RawCriteria,
    criteria_form,
    found_claims,
    read_claim,
    read_criterion,
    unscored_criteria,
)
from mechaware.claims.judges.quotes import locate_quotes, name_not_found, quotes_not_found
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Claim, Judgement, PaperText

NO_QUOTE = "quote not in the paper"
SHOWN = 300  # characters of evidence that a repair round repeats
SYSTEM = {"system": True, "component": False, None: None}


class _Criteria(NamedTuple):
    """The usable criteria of a reply, and of the others the fault and what stands for them if it is not mended."""

    judged: dict[str, Judgement]
    faults: dict[str, str]
    unscored: dict[str, Judgement]


class PaperReader:
    """A model that reads one whole paper in one run. `notes` says what of its replies was left out."""

    def __init__(self, model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> None:
        self.notes: list[str] = []
        self._model, self._prompts, self._text, self._flags, self._run = model, prompts, text, about.flags, run

    def extract(self) -> list[Claim]:
        """The paper's claims, judged. Raises `Unscored` if the paper is too long or no claim is usable."""
        most, at_once = self._model.settings.max_claims, self._model.settings.mode == "at_once"
        ask_for = self._prompts.extract_all if at_once else self._prompts.find_claims
        form = JudgedClaims if at_once else found_claims(most)
        messages = ask_for(self._text, self._flags, most)
        self._check_length(messages)
        reply = self._model.ask(messages, RawClaims, form=form, run=self._run, step="claims")
        if len(reply.claims) > most:
            self.notes.append(f"{len(reply.claims) - most} claims beyond max_claims = {most} left out")
        usable = self._usable_claims(reply.claims[:most])
        if at_once:
            judged = self._judged_at_once([claim for claim, _ in usable], [raw.get("criteria") for _, raw in usable])
        else:
            judged = [self.judge(claim) for claim, _ in usable]
        return [
            claim.model_copy(update={"criteria": criteria}) for (claim, _), criteria in zip(usable, judged, strict=True)
        ]

    def judge(self, claim: Claim) -> dict[str, Judgement]:
        """The criteria of a claim. Raises `Unscored` if the paper is too long."""
        messages = self._prompts.judge_claim(claim, self._text, self._flags)
        self._check_length(messages)
        try:
            reply = self._model.ask(messages, RawCriteria, form=criteria_form(), run=self._run, step="criteria")
        except Unscored as reason:
            return unscored_criteria(str(reason))
        return self._judged(claim, reply.criteria)

    def _usable_claims(self, raw: Sequence[dict[str, Any]]) -> list[tuple[Claim, dict[str, Any]]]:
        """The claims, each with its reply; faulty ones are asked for again, and left out if that does not help."""
        read = dict(enumerate(map(read_claim, raw)))
        faults = {index: fault for index, fault in read.items() if isinstance(fault, str)}
        if faults:
            read |= zip(
                faults, self._claims_again([raw[index] for index in faults], list(faults.values())), strict=False
            )
        usable = {index: _claim(claim) for index, claim in read.items() if isinstance(claim, FoundClaim)}
        self.notes += [f"claim {index + 1} left out: {faults[index]}" for index in faults if index not in usable]
        if not usable:
            raise Unscored("invalid", "; ".join(self.notes))
        return [(claim, raw[index]) for index, claim in usable.items()]

    def _claims_again(self, raw: Sequence[dict[str, Any]], faults: Sequence[str]) -> list[FoundClaim | str]:
        """The claims of a second reply, or what is wrong with them; none if it is unusable."""
        numbered = [f"claim {number}: {fault}" for number, fault in enumerate(faults, 1)]
        messages = self._prompts.find_claims_again(raw, numbered, self._text, self._flags)
        try:
            reply = self._model.ask(
                messages, RawClaims, form=found_claims(len(raw)), run=self._run, step="claims again"
            )
        except Unscored:
            return []
        return [read_claim(entry) for entry in reply.claims]

    def _judged_at_once(self, claims: Sequence[Claim], raw: Sequence[object]) -> list[dict[str, Judgement]]:
        """The criteria of each claim; those of claims that have none at all are asked for again in one call."""
        without = [index for index, criteria in enumerate(raw) if not isinstance(criteria, dict) or not criteria]
        again = dict(zip(without, self._criteria_again([claims[index] for index in without]), strict=False))
        judged = []
        for index, (claim, criteria) in enumerate(zip(claims, raw, strict=True)):
            if index in without:
                read = self._read(again.get(index), CRITERIA)
                judged.append({code: (read.judged | read.unscored)[code] for code in CRITERIA})
            else:
                judged.append(self._judged(claim, criteria))
        return judged

    def _criteria_again(self, claims: Sequence[Claim]) -> list[object]:
        """The criteria of a second reply for claims that came without any; none if it is unusable."""
        if not claims:
            return []
        messages = self._prompts.judge_claims_again(claims, self._text, self._flags)
        try:
            reply = self._model.ask(
                messages, RawClaims, form=JudgedClaims, run=self._run, step="claims' criteria again"
            )
        except Unscored:
            return []
        return [claim.get("criteria") for claim in reply.claims]

    def _judged(self, claim: Claim, raw: object) -> dict[str, Judgement]:
        """The criteria of a reply; faulty ones are asked for again, alone and once, and unscored if that fails."""
        first = self._read(raw, CRITERIA)
        if not first.faults:
            return first.judged
        messages = self._prompts.judge_claim_again(claim, first.faults, self._text, self._flags)
        try:
            form = criteria_form(tuple(first.faults))
            reply = self._model.ask(messages, RawCriteria, form=form, run=self._run, step="criteria again")
        except Unscored:
            again = _Criteria({}, first.faults, first.unscored)
        else:
            again = self._read(reply.criteria, first.faults)
        together = first.judged | again.judged | again.unscored
        return {code: together[code] for code in CRITERIA}

    def _read(self, raw: object, codes: Iterable[str]) -> _Criteria:
        """The criteria of a reply: usable if they are valid and, at PARTIAL or YES, have quotes, all from the paper."""
        criteria = _Criteria({}, {}, {})
        for code in codes:
            read = read_criterion(raw, code)
            if isinstance(read, str):
                criteria.faults[code] = read
                criteria.unscored.update(unscored_criteria(read, (code,)))
                continue
            judgement = Judgement(
                status=read.status, evidence=read.evidence, quotes=locate_quotes(read.evidence, self._text)
            )
            if read.status == "NO" or (judgement.quotes and None not in judgement.quotes):
                criteria.judged[code] = judgement
            else:
                criteria.faults[code] = _fault_of_quotes(judgement)
                named = name_not_found(read.evidence, judgement.quotes) if any(judgement.quotes) else read.evidence
                evidence = f"[UNSCORED: {NO_QUOTE}] {named}".strip()
                criteria.unscored[code] = judgement.model_copy(update={"status": None, "evidence": evidence})
        return criteria

    def _check_length(self, messages: Messages) -> None:
        tokens = sum(len(message["content"]) for message in messages) // 4  # roughly, for English
        if tokens > self._model.settings.context_tokens:
            raise Unscored(
                "too long",
                f"the paper and the guidance have about {tokens} tokens, the judge's context_tokens are "
                f"{self._model.settings.context_tokens}; name a judge with a longer context",
            )


def _fault_of_quotes(judgement: Judgement) -> str:
    """What is wrong with the evidence of a PARTIAL or YES."""
    if not any(judgement.quotes):
        return f"no quote of its evidence is in the paper: {judgement.evidence[:SHOWN]}"
    missing = " ".join(f'"{quote}"' for quote in quotes_not_found(judgement.evidence, judgement.quotes))
    return f"of its quotes these are not in the paper: {missing[:SHOWN]}"


def _claim(found: FoundClaim) -> Claim:
    """A claim of a reply, not yet judged."""
    return Claim(
        statement=" ".join(found.statement.split()),
        description_mode=found.description_mode,
        evidence_families=list(dict.fromkeys(found.evidence_families)),
        components=list(dict.fromkeys(name.strip() for name in found.components if name.strip())),
        criteria={},
        system=SYSTEM[found.level],
    )
