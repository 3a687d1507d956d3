r"""Puts prompts into the chat template of a tokenizer, for models that were trained on chats.

The template surrounds the prompt, which is a user's message, and ends where the model's reply
begins:

    before:  <|im_start|>user\n
    prompt:  Who wrote Emma?
    after:   <|im_end|>\n<|im_start|>assistant\n
    reply:   Jane Austen
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from mechaware.core.errors import UserError
from mechaware.models.tokenisation.vocabulary import tokenizer_name

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Template = Literal["none", "chat"]

# Some templates write today's date (Llama 3.2), so that the same prompt would give other numbers
# every day. They get this date instead, to which Llama's own template falls back where today's date
# is not available.
_DATE = date(2024, 7, 26)
# The call by which a template writes today's date; group 2 is the format of the date.
_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
# A prompt and a reply that show what a template writes around them; no template should change them.
_PROBE_PROMPT = "(the prompt)"
_PROBE_REPLY = "(the reply)"


class AskedPrompt(NamedTuple):
    """The text that a model reads for a prompt.

    - `before`, `after`: what the template writes around the prompt.
    - `prompt`: the prompt as the template writes it, perhaps without white space at its ends.
    - `space`: the white space between `after` and a reply in the template; None without a template.
    """

    before: str
    prompt: str
    after: str
    space: str | None = None

    @property
    def text(self) -> str:
        """The whole text, which the reply follows."""
        return self.before + self.prompt + self.after

    def reply(self, answer: str) -> str:
        """The text that follows `text` when the model's reply is `answer`; "" without an answer.

        Without a template it is the answer unchanged. In a chat it begins the assistant's message:
        the template's white space replaces the white space that separates the answer from the
        question in running text.
        """
        if self.space is None or not answer:
            return answer
        return self.space + answer.lstrip()


def ask(
    tokenizer: "PreTrainedTokenizerBase", prompts: Sequence[str], template: Template
) -> list[AskedPrompt]:
    """The text that the model reads for each prompt.

    For `none` it is the prompt itself, for `chat` the prompt as a user's message. A chat template
    may drop white space at the ends of a prompt. Raises `UserError` for a tokenizer without a chat
    template, and for a template that cannot write a single message of a user, or that changes a
    prompt in another way.
    """
    if template == "none":
        return [AskedPrompt("", prompt, "") for prompt in prompts]

    name = tokenizer_name(tokenizer)
    if not tokenizer.chat_template:
        raise UserError(
            f"template: chat, but {name} has no chat template; "
            "write template: none, or save the tokenizer with one"
        )

    probe_text = _apply_template(tokenizer, _PROBE_PROMPT)
    before, found_probe, after = probe_text.partition(_PROBE_PROMPT)
    space = _space_before_reply(tokenizer, probe_text)
    asked = []
    for prompt in prompts:
        text = _apply_template(tokenizer, prompt)
        inner = text[len(before) : len(text) - len(after)]
        asked_prompt = AskedPrompt(before, inner, after, space)
        # The template may write other text around this prompt than around the probe.
        is_around = bool(found_probe) and asked_prompt.text == text
        if not is_around or inner not in _with_trimmed_ends(prompt):
            raise UserError(
                f"template: chat, but the chat template of {name} changes the prompt "
                f"{prompt[:40]!r}, whose tokens could not be found; write template: none"
            )
        asked.append(asked_prompt)
    return asked


def _apply_template(
    tokenizer: "PreTrainedTokenizerBase", prompt: str, reply: str | None = None
) -> str:
    """The text of a user's message up to the start of a reply; with a `reply`, of both messages.

    Raises `UserError` for a template that cannot write them.
    """
    from jinja2 import TemplateError

    messages = [{"role": "user", "content": prompt}]
    if reply is not None:
        messages.append({"role": "assistant", "content": reply})
    try:
        text = tokenizer.apply_chat_template(
            messages,
            chat_template=_dated(tokenizer.get_chat_template()),
            tokenize=False,
            add_generation_prompt=reply is None,
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise UserError(
            f"template: chat, but the chat template of {tokenizer_name(tokenizer)} "
            f"cannot write the message of a user ({error}); write template: none"
        ) from error
    return cast(str, text)


def _dated(template: str) -> str:
    """The template with `_DATE` in place of today's date.

    Raises `ValueError` for a template that calls `strftime_now` with anything but a quoted format.
    """
    dated = _TODAY.sub(lambda call: repr(_DATE.strftime(call[2])), template)
    if "strftime_now(" in dated:
        raise ValueError("it writes today's date in a format that the call does not show")
    return dated


def _space_before_reply(tokenizer: "PreTrainedTokenizerBase", probe_text: str) -> str:
    """The white space that the template writes before a reply, as in `[/INST] Jane`.

    `probe_text` is what the template writes for `_PROBE_PROMPT` without a reply. If something other
    than white space is between it and the reply, "": some templates write reasoning first.
    """
    both_messages = _apply_template(tokenizer, _PROBE_PROMPT, _PROBE_REPLY)
    before_reply, found_reply, _ = both_messages.partition(_PROBE_REPLY)
    space = before_reply.removeprefix(probe_text)
    is_continued = found_reply and before_reply.startswith(probe_text) and not space.strip()
    return space if is_continued else ""


def _with_trimmed_ends(prompt: str) -> tuple[str, ...]:
    """The prompt as it is, and without white space at both ends or at one of them."""
    return prompt, prompt.strip(), prompt.lstrip(), prompt.rstrip()
