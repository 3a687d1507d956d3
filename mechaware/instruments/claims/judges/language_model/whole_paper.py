"""Judges a paper with a model whose context holds the whole paper.

Unusable parts of the model's replies are asked for again, once.
"""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.prices import CHARACTERS_A_TOKEN
from mechaware.instruments.claims.judges.language_model.model import (
    ASK_FOR_CORRECTION,
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
MAX_EVIDENCE_IN_FAULT = 300  # characters of evidence, or of its quotes, that a fault repeats
MAX_FAULT_IN_NOTES = 80  # characters of a fault
# Whether a claim is about the whole system, by the level in the reply.
IS_SYSTEM_BY_LEVEL = {"system": True, "component": False, None: None}


class PaperReader:
    """A model that reads one whole paper in one run."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._text = text
        self._flags = about.flags
        self._run = run
        self.n_unusable = 0  # claims of the replies that cannot be used, and so are left out
        model.shared = prompts.paper(text, about.flags)

    def extract(self) -> list[Claim]:
        """The paper's claims, judged.

        Raises `Unscored` if the paper is too long or no claim is usable.
        """
        max_claims = self._model.settings.max_claims
        at_once = self._model.settings.mode == "at_once"

        raw_claims = self._ask_for_claims(max_claims, judged=at_once)
        n_beyond = len(raw_claims) - max_claims
        if n_beyond > 0:
            self._model.notes.append(f"{n_beyond} claims beyond max_claims = {max_claims} left out")

        # Each usable claim, and its criteria as they are in the reply.
        usable: list[tuple[Claim, Any]] = []
        for number, entry in enumerate(raw_claims[:max_claims], 1):
            claim_or_fault = read_claim(entry)
            if isinstance(claim_or_fault, str):
                self._model.notes.append(f"claim {number} left out as unusable: {claim_or_fault}")
                self.n_unusable += 1
            else:
                usable.append((_as_claim(claim_or_fault), entry.get("criteria")))
        if raw_claims and not usable:
            raise Unscored("invalid", "no claim of the reply can be used")

        judged = []
        for claim, raw_criteria in usable:
            criteria = self._judge_reply(claim, raw_criteria) if at_once else self.judge(claim)
            judged.append(claim.model_copy(update={"criteria": criteria}))
        return judged

    def judge_all(self, claims: Sequence[Claim]) -> list[dict[str, Judgement]]:
        """The criteria of given claims: in the mode at_once from one reply, else from one for each.

        Raises `Unscored` if the paper is too long, or if the one reply for all claims cannot be
        used.
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
        criteria_by_number = reply.by_number()
        criteria = []
        for number, claim in enumerate(claims, 1):
            criteria.append(self._judge_reply(claim, criteria_by_number.get(number)))
        return criteria

    def judge(self, claim: Claim) -> dict[str, Judgement]:
        """The criteria of a claim, in a reply of its own; all unscored if the reply cannot be used.

        Raises `Unscored` if the paper is too long.
        """
        messages = self._prompts.judge_claim(claim, self._text, self._flags)
        check_length(messages, self._model.settings, "the paper")
        try:
            reply = self._model.ask(
                messages, RawCriteria, form=criteria_form(), run=self._run, step="criteria"
            )
        except Unscored as reason:
            return unscored_criteria(str(reason))
        return self._judge_reply(claim, reply.criteria)

    def _ask_for_claims(self, max_claims: int, *, judged: bool) -> list[dict[str, Any]]:
        """The claims of the reply, with their criteria if they are to be `judged`.

        If some cannot be used, a second reply is asked for. Its new claims, which are usable and
        which no usable claim of the first reply states, take the places of faulty claims. Which
        faulty claim a new claim corrects is not known, so it does not inherit criteria of the first
        reply: its criteria are asked for later.
        """
        messages = self._prompts.claims(self._text, self._flags, max_claims, judged=judged)
        check_length(messages, self._model.settings, "the paper")
        form = JudgedClaims if judged else found_claims(max_claims)
        reply = self._model.ask(messages, RawClaims, form=form, run=self._run, step="claims")
        claims = reply.claims

        stated: set[str] = set()  # statements of usable claims
        faults: dict[int, str] = {}  # by the index of a faulty claim
        for index, claim in enumerate(claims[:max_claims]):
            claim_or_fault = read_claim(claim)
            if isinstance(claim_or_fault, str):
                faults[index] = claim_or_fault
            else:
                stated.add(plain_words(claim_or_fault.statement))
        if not faults:
            return claims

        noted = "; ".join(f"claim {index + 1}: {fault}" for index, fault in faults.items())
        self._model.notes.append(f"{len(faults)} of {len(claims)} claims asked for again ({noted})")
        with suppress(Unscored):
            second_claims = self._ask_for_claims_again(messages, claims, faults)
            new = [claim for claim in second_claims if _is_new(claim, stated)]
            # Faulty claims 0 and 2, and one new claim: claim 0 is replaced, claim 2 stays faulty.
            # Of more new claims than faulty ones the last are ignored.
            for index, claim in zip(faults, new, strict=False):
                claims[index] = claim
        return claims

    def _ask_for_claims_again(
        self, messages: Messages, claims: Sequence[dict[str, Any]], faults: Mapping[int, str]
    ) -> list[dict[str, Any]]:
        """The claims of a second reply, which is asked only for the faulty claims of the first.

        `faults` are by the index of a faulty claim in `claims`. Raises `Unscored` if the reply
        cannot be used.
        """
        faulty = []
        complaints = []
        for number, (index, fault) in enumerate(faults.items(), 1):
            without_criteria = dict(claims[index])
            without_criteria.pop("criteria", None)
            faulty.append(without_criteria)
            complaints.append(f"claim {number}: {fault}")

        text = json.dumps({"claims": faulty})
        addition = ASK_FOR_CORRECTION.format(complaint="; ".join(complaints), text=text)
        reply = self._model.ask(
            asked_again(messages, addition),
            RawClaims,
            form=found_claims(len(faults)),
            run=self._run,
            step="claims again",
        )
        return reply.claims

    def _judge_reply(self, claim: Claim, raw: object) -> dict[str, Judgement]:
        """The criteria of a claim, as `raw` has them.

        Faulty criteria are asked for once more, and are unscored if they are faulty again.
        """
        judged, faults = self._read_criteria(raw, CRITERIA)
        if not faults:
            return judged

        messages = self._prompts.judge_claim_again(claim, faults, self._text, self._flags)
        form = criteria_form(tuple(faults))
        with suppress(Unscored):
            reply = self._model.ask(
                messages, RawCriteria, form=form, run=self._run, step="criteria again"
            )
            judged_again, _ = self._read_criteria(reply.criteria, faults)
            judged |= judged_again

        changes = []
        for code, fault in faults.items():
            first = read_criterion(raw, code)
            before = "no status" if isinstance(first, str) else first.status
            after = judged[code].status or "unscored"
            changes.append(f"{code} {before}, now {after} ({fault[:MAX_FAULT_IN_NOTES]})")
        self._model.notes.append(
            f'criteria of "{claim.statement}" asked again: {"; ".join(changes)}'
        )
        return judged

    def _read_criteria(
        self, raw: object, codes: Iterable[str]
    ) -> tuple[dict[str, Judgement], dict[str, str]]:
        """The criteria of a reply, scored or unscored, and by code the faults of the unscored ones.

        A criterion is scored if it is valid. At PARTIAL or YES it must also have a quote, and all
        its quotes must be in the paper.
        """
        judged: dict[str, Judgement] = {}
        faults: dict[str, str] = {}
        for code in codes:
            criterion_or_fault = read_criterion(raw, code)
            if isinstance(criterion_or_fault, str):
                faults[code] = criterion_or_fault
                judged |= unscored_criteria(criterion_or_fault, (code,))
                continue

            status = criterion_or_fault.status
            evidence = criterion_or_fault.evidence
            quotes = locate_quotes(evidence, self._text)  # None for a quote that is not found
            judgement = Judgement(status=status, evidence=evidence, quotes=quotes)
            is_quoted = bool(quotes) and None not in quotes
            if status != "NO" and not is_quoted:
                faults[code] = _fault_of_quotes(judgement)
                judgement = _without_status(judgement)
            judged[code] = judgement
        return judged, faults


def check_length(messages: Messages, settings: JudgeSettings, what: str) -> None:
    """Raise `Unscored` unless the prompt and a reply of `max_tokens` fit the judge's context.

    `what` is what the message calls the text that is judged, such as "the paper".
    """
    n_characters = sum(len(message["content"]) for message in messages)
    prompt_tokens = n_characters // CHARACTERS_A_TOKEN
    subject = what.removeprefix("the ")
    lengths = (
        f"{subject} and guidance have about {prompt_tokens} tokens and context_tokens are "
        f"{settings.context_tokens}"
    )
    if prompt_tokens >= settings.context_tokens:
        raise Unscored(
            "too long", f"{what} is too long: {lengths}; name a judge with a longer context"
        )
    if prompt_tokens + settings.max_tokens > settings.context_tokens:
        advice = "lower max_tokens, or name a judge with a longer context"
        raise Unscored(
            "too long",
            f"max_tokens = {settings.max_tokens} is too long a reply: {lengths}; {advice}",
        )


def _is_new(raw: dict[str, Any], stated: Container[str]) -> bool:
    """Whether a claim of a reply is usable, and its statement is not among the `stated` ones."""
    claim = read_claim(raw)
    return isinstance(claim, FoundClaim) and plain_words(claim.statement) not in stated


def _without_status(judgement: Judgement) -> Judgement:
    """A judgement whose quotes are not all in the paper, unscored.

    The evidence begins with the reason. If some of its quotes are in the paper, the others are
    marked.
    """
    evidence = judgement.evidence
    if any(judgement.quotes):
        evidence = name_not_found(evidence, judgement.quotes)
    evidence = f"[UNSCORED: {NO_QUOTE}] {evidence}".strip()
    return judgement.model_copy(update={"status": None, "evidence": evidence})


def _fault_of_quotes(judgement: Judgement) -> str:
    """What is wrong with the evidence of a PARTIAL or YES."""
    not_found = quotes_not_found(judgement.evidence, judgement.quotes)
    if any(len(quote) > MAX_QUOTE for quote in not_found):
        return f"a quote is longer than {MAX_QUOTE} characters; quote a sentence or two"
    if not any(judgement.quotes):
        shown = judgement.evidence[:MAX_EVIDENCE_IN_FAULT]
        return f"no quote of its evidence is in the paper: {shown}"
    missing = " ".join(f'"{quote}"' for quote in not_found)
    return f"of its quotes these are not in the paper: {missing[:MAX_EVIDENCE_IN_FAULT]}"


def _as_claim(claim: FoundClaim) -> Claim:
    """A claim of a reply as a `Claim` that is not yet judged.

    Each evidence family and each component is listed once.
    """
    names = [name.strip() for name in claim.components]
    components = dict.fromkeys(name for name in names if name)
    return Claim(
        statement=" ".join(claim.statement.split()),
        description_mode=claim.description_mode,
        evidence_families=list(dict.fromkeys(claim.evidence_families)),
        components=list(components),
        criteria={},
        system=IS_SYSTEM_BY_LEVEL[claim.level],
    )
