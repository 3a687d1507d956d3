"""What a language model is asked about a committed text, and what its judge makes of the replies.

The replies are committed too: no model is asked.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.instruments.claims.judges.language_model.calls.store import (
    Completion,
    ResponseStore,
)
from mechaware.instruments.claims.judges.language_model.judge import LanguageModelJudge
from mechaware.instruments.claims.judges.language_model.model import LanguageModel
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.verdicts.cases.supported import texts
from mechaware.verdicts.cases.supported.by_rules import text_outcome


def reply_outcomes(judge: JudgeSettings, prompts: Sequence[Path]) -> list[Any]:
    """What the judge reaches on a committed text (`text_outcome`), and the requests that it made.

    Args:
        judge: The settings of the judge; its mode decides what it asks.
        prompts: The files of one version of the judges' prompts.
    """
    settings = replace(
        judge,
        name="committed",
        model="committed",
        api_base=None,
        api_key_env=None,
        temperature=None,
        reasoning_effort=None,
        structured_output="json_schema",
        max_claims=2,
        max_tokens=1000,
        context_tokens=100_000,
        max_cost_usd=None,
    )
    store = _CommittedReplies()
    model_judge = LanguageModelJudge(LanguageModel(settings, store), Prompts.load(prompts))
    outcome = text_outcome(model_judge, texts.FOR_MODELS)
    return [outcome, [list(request) for request in store.requests]]


class _Request(NamedTuple):
    """A request to a language model.

    - `form`: the name of the reply's schema, such as "FoundClaims".
    - `messages`: the chat.
    - `schema`: the JSON schema of the reply.
    """

    form: str
    messages: Any
    schema: Any


class _CommittedReplies(ResponseStore):
    """A store that answers each request with the next reply in its form (`texts.REPLIES`).

    The last reply of a form is followed by the first.
    """

    def __init__(self) -> None:
        super().__init__(Path("none"))
        self.requests: list[_Request] = []

    def get(self, request: Mapping[str, Any], run: int) -> Completion:
        """The next reply in the request's form, whatever the run."""
        del run
        schema = request["response_format"]["json_schema"]
        form = schema["name"]
        n_before = sum(earlier.form == form for earlier in self.requests)
        self.requests.append(_Request(form, request["messages"], schema["schema"]))

        replies = texts.REPLIES[form]
        reply = replies[n_before % len(replies)]
        text = reply if isinstance(reply, str) else json.dumps(reply)
        is_cut = text == texts.CUT
        return Completion(
            text=text,
            finish_reason="length" if is_cut else "stop",
            prompt_tokens=1,
            completion_tokens=1,
            cost=0.0,
            latency_s=0.0,
            model="committed",
        )
