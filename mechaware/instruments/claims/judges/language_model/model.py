"""A language model whose replies are read as instances of a pydantic model.

Without a usable reply it raises an error that gives the reason.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, NamedTuple

from pydantic import BaseModel

from mechaware.core.errors import UserError
from mechaware.core.files import sha256
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.prices import (
    count_tokens,
    price_at_most,
)
from mechaware.instruments.claims.judges.language_model.calls.provider import Provider
from mechaware.instruments.claims.judges.language_model.calls.server import embedded_server
from mechaware.instruments.claims.judges.language_model.calls.store import Completion, ResponseStore
from mechaware.instruments.claims.judges.language_model.prompts import Messages
from mechaware.instruments.claims.judges.language_model.structured import M, parse, response_format
from mechaware.instruments.claims.judges.settings import JudgeSettings, read_key
from mechaware.instruments.claims.rubric.records import Usage

# A question that is asked again ends in one of two additions: the first after a reply that was cut,
# the second after a reply that cannot be used.
ASK_FOR_SHORTER = (
    "\n\nYour last reply was cut off because it was too long. Give a much shorter reply: at most one short phrase of "
    "evidence wherever evidence is asked for."
)
ASK_FOR_CORRECTION = (
    "\n\nYou have replied to this once, and your reply could not be used: {complaint}. Reply with the corrected JSON "
    "object and nothing else. This was your reply:\n{text}"
)
# The note of a run whose provider cut a prompt.
_PROMPT_WAS_CUT = (
    "{step}: the prompt was cut: the server says that it read {read} tokens, and about {sent} were sent. Give the "
    "server a longer context (vLLM: --max-model-len, llama.cpp: -c, Ollama: context_tokens of the judge), or name "
    "another judge"
)


def asked_again(messages: Messages, addition: str) -> Messages:
    """A chat with an addition to its last message.

    The model's reply is not sent as a turn of the assistant: some providers require the reasoning
    of such turns, which the store does not keep.
    """
    *before, last = messages
    return [*before, last | {"content": last["content"] + addition}]


@dataclass(frozen=True)
class _Chat(Generic[M]):
    """What is asked in one run.

    `form` is the class whose JSON schema the request carries, `reply_type` the class that reads the
    reply. `step` names the purpose of the chat, in notes and in the store.
    """

    messages: Messages
    reply_type: type[M]
    form: type[BaseModel]
    run: int
    step: str


class _Asked(NamedTuple):
    """A request and its reply, and whether the store has the reply already."""

    request: dict[str, Any]
    received: Completion
    is_stored: bool


class LanguageModel:
    """A judge's language model with a store of its replies.

    `shared` is the beginning that the user messages about a paper have in common, for providers
    that cache it. `usage` counts stored and new replies alike, so that a replayed study gives the
    same records. `server` starts a server and gives its URL; it is called before the first request
    that the store cannot answer. `server_name` replaces the URL in the store, because the port
    changes.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        store: ResponseStore,
        *,
        server: Callable[[], str] | None = None,
        server_name: str | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.usage = Usage()
        # What was repaired, asked for again or left out since `take_notes`.
        self.notes: list[str] = []
        self.shared = ""
        self._adding = Lock()
        self._server = server
        self._server_name = server_name
        self._provider = Provider(settings)

    def ask(
        self,
        messages: Messages,
        reply_type: type[M],
        *,
        run: int,
        step: str,
        form: type[BaseModel] | None = None,
    ) -> M:
        """The model's answer to a chat, as an instance of `reply_type`. Runs are independent: each
        has a seed and replies of its own.

        `form`, if given, is the class whose JSON schema the request carries, in place of
        `reply_type`, which may accept other replies than this schema does.

        A reply that is invalid is sent back once with its errors; if a reply was cut at
        `max_tokens`, a shorter reply is requested once. Raises `Unscored` if that does not help, or
        at once if the reply is empty, refused or an error; `UserError` if no call can succeed, the
        provider is dead or the cost limit is reached. Replies to a question without a usable answer
        are not stored, so that the same question asks the model anew; an embedded model's are.
        """
        chat = _Chat(messages, reply_type, form or reply_type, run, step)
        # Both tries add to this list, even if they raise, so that every reply is stored or charged.
        asked: list[_Asked] = []
        usable = False
        try:
            answer = self._answer_in_two_tries(chat, asked)
            usable = True
            return answer
        finally:
            self._settle(asked, run, step, usable=usable)

    def with_own_counts(self) -> "LanguageModel":
        """The same model with its own counts and notes,
        for a run that is made at the same time as others.
        """
        other = copy(self)
        other.usage = Usage()
        other.notes = []
        other.shared = ""
        return other

    def add_counts(self, other: "LanguageModel") -> None:
        """Add the calls and notes of a copy of this model (`with_own_counts`);
        threads may do so at the same time.
        """
        with self._adding:
            self.usage += other.usage
            self.notes += other.notes

    def take_notes(self) -> list[str]:
        """The notes since `take_notes` was last called."""
        notes = self.notes
        self.notes = []
        return notes

    def take_usage(self) -> Usage:
        """The calls since `take_usage` was last called."""
        usage = self.usage
        self.usage = Usage()
        return usage

    def _answer_in_two_tries(self, chat: _Chat[M], asked: list[_Asked]) -> M:
        """The answer to a chat, or else to the same chat with a request for a shorter or a
        corrected reply.

        Adds each request with its reply to `asked`. Raises `Unscored`.
        """
        try:
            return self._answer(chat, asked)
        except Unscored as fault:
            if fault.kind not in ("cut", "invalid"):
                raise
            self.notes.append(f"{chat.step}: asked again ({fault})")
            addition = ASK_FOR_SHORTER
            if fault.kind == "invalid":
                text = asked[0].received.text
                addition = ASK_FOR_CORRECTION.format(complaint=fault, text=text)
        again = replace(chat, messages=asked_again(chat.messages, addition))
        return self._answer(again, asked)

    def _answer(self, chat: _Chat[M], asked: list[_Asked]) -> M:
        """The answer in the reply to a chat. Adds request and reply to
        `asked`. Raises `Unscored`.
        """
        request = self._request(chat.messages, chat.form, chat.run)
        stored = self.store.get(request, chat.run)
        received = self._call(request, chat.messages) if stored is None else stored
        asked.append(_Asked(request, received, is_stored=stored is not None))

        # An embedded server refuses a prompt that does not fit; a provider's may cut it.
        sent = count_tokens(chat.messages) if self.settings.kind == "provider" else 0
        call = Usage(
            calls=1,
            cost=received.cost,
            sent_tokens=sent,
            prompt_tokens=received.prompt_tokens,
            completion_tokens=received.completion_tokens,
        )
        self.usage += call
        if call.was_cut:
            read = f"{received.prompt_tokens:,}"
            self.notes.append(_PROMPT_WAS_CUT.format(step=chat.step, read=read, sent=f"{sent:,}"))

        _check_finished(received)
        answer, repaired = parse(received.text, chat.reply_type)
        if repaired:
            self.notes.append(
                f"{chat.step}: the reply's JSON was broken and is repaired; its letters, numbers and brackets are "
                "unchanged"
            )
        return answer

    def _settle(self, asked: Sequence[_Asked], run: int, step: str, *, usable: bool) -> None:
        """Store the new replies to a question if the last one answers it, and otherwise only count
        their cost.

        The embedded model would reply the same again, so its replies are stored in any case.
        """
        if not usable:
            self.usage += Usage(unusable=1)
        keep_replies = usable or self.settings.kind == "embedded"
        for request, received, is_stored in asked:
            if is_stored:
                continue
            if keep_replies:
                self.store.put(request, run, step, received)
            else:
                self.store.charge(received.cost)

    def _call(self, request: dict[str, Any], messages: Messages) -> Completion:
        """The provider's or the embedded server's reply to a request that the
        store does not answer.
        """
        api_key = read_key(self.settings.name, self.settings.api_key_env)
        self._check_cost(messages)
        api_base = self._server() if self._server else self.settings.api_base
        # An embedded server's request has `server_name` as its `api_base`; the call needs the URL.
        call = {name: value for name, value in request.items() if name != "api_base"}
        return self._provider.complete(call, api_base=api_base, api_key=api_key, shared=self.shared)

    def _request(self, messages: Messages, form: type[BaseModel], run: int) -> dict[str, Any]:
        """The request: everything that the reply depends on, and nothing else."""
        settings = self.settings
        # Without a length of context Ollama cuts a prompt to its own default length.
        is_ollama = settings.model.startswith("ollama")
        ollama_options = {"num_ctx": settings.context_tokens} if is_ollama else {}
        return {
            "model": f"openai/{settings.model}" if settings.kind == "embedded" else settings.model,
            "api_base": self._server_name or settings.api_base,
            "messages": messages,
            "temperature": settings.temperature,
            "reasoning_effort": settings.reasoning_effort,
            "max_tokens": settings.max_tokens,
            "response_format": response_format(form, settings.structured_output),
            "seed": run if settings.seed == "run" else None,
            **ollama_options,
        }

    def _check_cost(self, messages: Messages) -> None:
        """Raise `UserError` if the next call could take this judge past its limit.

        Unfinished calls of other threads and processes are not in the sum: n calls at the same time
        may pass the limit by the cost of n - 1 calls.
        """
        limit = self.settings.max_cost_usd
        if limit is None:
            return
        characters = sum(len(message["content"]) for message in messages)
        next_call = price_at_most(self.settings, characters)
        if next_call is None:
            raise UserError(
                f"judge {self.settings.name}: max_cost_usd is set and no price of {self.settings.model} is known; give "
                "usd_per_million_prompt_tokens and usd_per_million_completion_tokens in config/judges.yaml"
            )
        spent = self.store.spent()
        if spent + next_call > limit:
            raise UserError(
                f"judge {self.settings.name}: ${spent:.2f} spent and up to ${next_call:.2f} for the next call would "
                f"pass max_cost_usd = {limit:g}; raise it in config/judges.yaml (finished replies are kept)"
            )


def _check_finished(received: Completion) -> None:
    """Raise `Unscored` unless a reply is whole. A cut reply is never parsed:
    missing criteria would go unnoticed.
    """
    if received.finish_reason == "length":
        raise Unscored("cut", f"the reply was cut after {received.completion_tokens} tokens")
    if received.finish_reason == "content_filter":
        raise Unscored("refused", "the model or the provider's content filter refused to reply")
    if received.finish_reason == "error":
        raise Unscored("error", "the reply ended in an error of the provider")
    if not received.text.strip():
        raise Unscored("empty", "the reply is empty")


@contextmanager
def language_model(
    settings: JudgeSettings, responses: Path, *, gguf: Path | None = None
) -> Iterator[LanguageModel]:
    """A judge's model with its replies in the folder `responses`.

    An embedded model is the file `gguf`; its server runs from the first call that the store cannot
    answer until the context ends. Raises `UserError` if the settings name no model, or if an
    embedded model comes without its file.
    """
    if not settings.model:
        raise UserError(
            f"judge {settings.name}: no model; name one with `model` in config/judges.yaml"
        )
    store = ResponseStore(responses)
    if settings.kind != "embedded":
        yield LanguageModel(settings, store)
        return
    if gguf is None:
        raise UserError(
            f"judge {settings.name}: an embedded model without its GGUF file; give its path"
        )
    file = gguf  # mypy takes `gguf` as possibly None inside `server`
    with ExitStack() as stack:

        @cache  # the first call starts the server; later calls get its address
        def server() -> str:
            serving = embedded_server(file, context_tokens=settings.context_tokens)
            return stack.enter_context(serving)

        yield LanguageModel(settings, store, server=server, server_name=f"gguf:{sha256(file)}")
