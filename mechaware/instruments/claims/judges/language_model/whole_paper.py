"""Judges a paper with a model that holds it whole; what of its replies is unusable is asked for again once."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.provider import CHARACTERS_A_TOKEN
from mechaware.instruments.claims.judges.language_model.model import (
    AGAIN,
    LanguageModel,
    asked_again,
)
from mechaware.instruments.claims.judges.language_model.prompts import Messages, Prompts
from mechaware.instruments.claims.judges.language_model.replies import (
    FoundClaim,
    JudgedClaims,
    RawClaims,
    RawCriteria,
    RawCriteriaOfClaims,
    criteria_form,
    criteria_of_claims,
    found_claims,
    read_claim,
    read_criterion,
    unscored_criteria,
)
from mechaware.instruments.claims.judges.locating import MAX_QUOTE
from mechaware.instruments.claims.judges.quotes import (
    locate_quotes,
    name_not_found,
    quotes_not_found,
)
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.reading.sentences import plain_words
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Claim, Judgement, PaperText

NO_QUOTE = "quote not in the paper"
SHOWN, SHOWN_IN_NOTES = 300, 80  # characters of a fault
SYSTEM = {"system": True, "component": False, None: None}


class PaperReader:
    """A model that reads one whole paper in one run."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int
    ) -> None:
        self._model, self._prompts, self._text, self._flags, self._run = (
            model,
            prompts,
            text,
            about.flags,
            run,
        )
        self.left_out = 0  # claims of the replies that cannot be used
        model.shared = prompts.paper(text, about.flags)

    def extract(self) -> list[Claim]:
        """The paper's claims, judged. Raises `Unscored` if the paper is too long or no claim is usable."""
        most, at_once = self._model.settings.max_claims, self._model.settings.mode == "at_once"
        raw = self._claims(most, at_once)
        if len(raw) > most:
            self._model.notes.append(
                f"{len(raw) - most} claims beyond max_claims = {most} left out"
            )
        read = [
            (number, read_claim(one), one.get("criteria"))
            for number, one in enumerate(raw[:most], 1)
        ]
        for number, claim, _ in read:
            if isinstance(claim, str):
                self._model.notes.append(f"claim {number} left out as unusable: {claim}")
                self.left_out += 1
        usable = [
            (_claim(claim), criteria)
            for _, claim, criteria in read
            if isinstance(claim, FoundClaim)
        ]
        if raw and not usable:
            raise Unscored("invalid", "no claim of the reply can be used")
        return [
            claim.model_copy(
                update={"criteria": self._judged(claim, criteria) if at_once else self.judge(claim)}
            )
            for claim, criteria in usable
        ]

    def judge_all(self, claims: Sequence[Claim]) -> list[dict[str, Judgement]]:
        """The criteria of given claims, in as many replies as `extract` judges its own in: one, or one for each claim.

        Raises `Unscored` if the paper is too long, or if the one reply cannot be used.
        """
        if self._model.settings.mode != "at_once" or not claims:
            return [self.judge(claim) for claim in claims]
        messages = self._prompts.judge_claims(claims, self._text, self._flags)
        check_length(messages, self._model.settings, "the paper")
        reply = self._model.ask(
            messages,
            RawCriteriaOfClaims,
            form=criteria_of_claims(len(claims)),
            run=self._run,
            step="criteria of all claims",
        )
        raw = reply.by_number()
        return [self._judged(claim, raw.get(number)) for number, claim in enumerate(claims, 1)]

    def judge(self, claim: Claim) -> dict[str, Judgement]:
        """The criteria of a claim. Raises `Unscored` if the paper is too long."""
        messages = self._prompts.judge_claim(claim, self._text, self._flags)
        check_length(messages, self._model.settings, "the paper")
        try:
            reply = self._model.ask(
                messages, RawCriteria, form=criteria_form(), run=self._run, step="criteria"
            )
        except Unscored as reason:
            return unscored_criteria(str(reason))
        return self._judged(claim, reply.criteria)

    def _claims(self, most: int, at_once: bool) -> list[dict[str, Any]]:
        """The claims of the reply; in place of those that cannot be used, new ones of a second reply.

        Positions in the second reply say nothing: a claim in it has no criteria of the first, which are asked for
        again, and counts only if the first reply does not state it already.
        """
        messages = self._prompts.claims(self._text, self._flags, most, judged=at_once)
        check_length(messages, self._model.settings, "the paper")
        form = JudgedClaims if at_once else found_claims(most)
        claims = self._model.ask(
            messages, RawClaims, form=form, run=self._run, step="claims"
        ).claims
        read = list(map(read_claim, claims[:most]))
        faults = {index: fault for index, fault in enumerate(read) if isinstance(fault, str)}
        if not faults:
            return claims
        bare = [
            {key: value for key, value in claims[index].items() if key != "criteria"}
            for index in faults
        ]
        named = "; ".join(
            f"claim {number}: {fault}" for number, fault in enumerate(faults.values(), 1)
        )
        noted = "; ".join(f"claim {index + 1}: {fault}" for index, fault in faults.items())
        self._model.notes.append(f"{len(faults)} of {len(claims)} claims asked for again ({noted})")
        again = asked_again(
            messages, AGAIN.format(complaint=named, text=json.dumps({"claims": bare}))
        )
        form = found_claims(len(faults))
        with suppress(Unscored):
            mended = self._model.ask(
                again, RawClaims, form=form, run=self._run, step="claims again"
            ).claims
            stated = {
                plain_words(found.statement) for found in read if isinstance(found, FoundClaim)
            }
            found_again = ((claim, read_claim(claim)) for claim in mended)
            new = [
                claim
                for claim, found in found_again
                if isinstance(found, FoundClaim) and plain_words(found.statement) not in stated
            ]
            for index, claim in zip(faults, new, strict=False):
                claims[index] = claim
        return claims

    def _judged(self, claim: Claim, raw: object) -> dict[str, Judgement]:
        """The criteria of a reply; faulty ones are asked for again, alone and once, and unscored if that fails."""
        judged, faults = self._read(raw, CRITERIA)
        if not faults:
            return judged
        messages = self._prompts.judge_claim_again(claim, faults, self._text, self._flags)
        form = criteria_form(tuple(faults))
        with suppress(Unscored):
            reply = self._model.ask(
                messages, RawCriteria, form=form, run=self._run, step="criteria again"
            )
            judged |= self._read(reply.criteria, faults)[0]
        changes = []
        for code, fault in faults.items():
            read = read_criterion(raw, code)
            before = "no status" if isinstance(read, str) else read.status
            changes.append(
                f"{code} {before}, now {judged[code].status or 'unscored'} ({fault[:SHOWN_IN_NOTES]})"
            )
        self._model.notes.append(
            f'criteria of "{claim.statement}" asked again: {"; ".join(changes)}'
        )
        return judged

    def _read(
        self, raw: object, codes: Iterable[str]
    ) -> tuple[dict[str, Judgement], dict[str, str]]:
        """The criteria of a reply, and the faults of those that are unscored.

        A criterion is usable if it is valid and, at PARTIAL or YES, has quotes, all from the paper.
        """
        judged: dict[str, Judgement] = {}
        faults: dict[str, str] = {}
        for code in codes:
            read = read_criterion(raw, code)
            if isinstance(read, str):
                faults[code] = read
                judged |= unscored_criteria(read, (code,))
                continue
            quotes = locate_quotes(read.evidence, self._text)
            judged[code] = Judgement(status=read.status, evidence=read.evidence, quotes=quotes)
            if read.status != "NO" and (not quotes or None in quotes):
                faults[code] = _fault_of_quotes(judged[code])
                named = name_not_found(read.evidence, quotes) if any(quotes) else read.evidence
                evidence = f"[UNSCORED: {NO_QUOTE}] {named}".strip()
                judged[code] = judged[code].model_copy(
                    update={"status": None, "evidence": evidence}
                )
        return judged, faults


def check_length(messages: Messages, settings: JudgeSettings, what: str) -> None:
    """Raise `Unscored` unless the prompt and a reply of `max_tokens` fit the judge's context; `what` is judged."""
    prompt = sum(len(message["content"]) for message in messages) // CHARACTERS_A_TOKEN
    subject = what.removeprefix("the ")
    both = f"{subject} and guidance have about {prompt} tokens and context_tokens are {settings.context_tokens}"
    if prompt >= settings.context_tokens:
        raise Unscored(
            "too long", f"{what} is too long: {both}; name a judge with a longer context"
        )
    if prompt + settings.max_tokens > settings.context_tokens:
        advice = "lower max_tokens, or name a judge with a longer context"
        raise Unscored(
            "too long",
            f"max_tokens = {settings.max_tokens} is too long a reply: {both}; {advice}",
        )


def _fault_of_quotes(judgement: Judgement) -> str:
    """What is wrong with the evidence of a PARTIAL or YES."""
    not_found = quotes_not_found(judgement.evidence, judgement.quotes)
    if any(len(quote) > MAX_QUOTE for quote in not_found):
        return f"a quote is longer than {MAX_QUOTE} characters; quote a sentence or two"
    if not any(judgement.quotes):
        return f"no quote of its evidence is in the paper: {judgement.evidence[:SHOWN]}"
    missing = " ".join(f'"{quote}"' for quote in not_found)
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
