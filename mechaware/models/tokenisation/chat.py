r"""Puts prompts into the chat template of a tokenizer, as a model that was trained on chats expects them.

The template surrounds the prompt, which is a user's message, and ends where the model's reply begins:

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

# Some templates write today's date (Llama 3.2), so that a run would give other numbers every day. This is the date that
# Llama's own template writes where it cannot know the day.
_DATE = date(2024, 7, 26)
_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
_MARK = "(the prompt)"  # a prompt that no template changes, which shows what a template writes around it
_REPLY = "(the reply)"


class AskedPrompt(NamedTuple):
    """The text that a model reads for a prompt.

    - `before`, `after`: what the template writes around the prompt.
    - `space`: what the template writes between the prompt and a reply; None without a template.
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
        """The text of an answer after the prompt; "" without an answer.

        Without a template it is the answer unchanged. In a chat it begins the assistant's message: the template's white
        space replaces the white space that separates the answer from the question in running text.
        """
        if self.space is None or not answer:
            return answer
        return self.space + answer.lstrip()


def ask(
    tokenizer: "PreTrainedTokenizerBase", prompts: Sequence[str], template: Template
) -> list[AskedPrompt]:
    """The text that the model reads for each prompt: the prompt itself for `none`, a user's message for `chat`.

    A template may drop white space at the ends of a prompt. Raises `UserError` for a tokenizer without a template, and
    for a template that cannot write a single user's message, or that changes a prompt in another way.
    """
    if template == "none":
        return [AskedPrompt("", prompt, "") for prompt in prompts]

    name = tokenizer_name(tokenizer)
    if not tokenizer.chat_template:
        raise UserError(
            f"template: chat, but {name} has no chat template; write template: none, or save the tokenizer with one"
        )

    written = _apply_template(tokenizer, _MARK)
    before, mark, after = written.partition(_MARK)
    space = _space_before_reply(tokenizer, written)
    asked = []
    for prompt in prompts:
        text = _apply_template(tokenizer, prompt)
        inner = text[len(before) : len(text) - len(after)]
        whole = AskedPrompt(before, inner, after, space)
        if not mark or whole.text != text or inner not in _with_trimmed_ends(prompt):
            raise UserError(
                f"template: chat, but the chat template of {name} changes the prompt {prompt[:40]!r}, whose tokens "
                "could not be found; write template: none"
            )
        asked.append(whole)
    return asked


def _apply_template(
    tokenizer: "PreTrainedTokenizerBase", prompt: str, reply: str | None = None
) -> str:
    """The text of a user's message up to where a reply begins; with a `reply`, the text of both messages."""
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
            f"template: chat, but the chat template of {tokenizer_name(tokenizer)} cannot write the message of a user "
            f"({error}); write template: none"
        ) from error
    return cast(str, text)


def _dated(template: str) -> str:
    """The template with `_DATE` in place of the day on which it is read.

    Raises `ValueError` for a template that writes the day in a format that is not in the call itself.
    """
    dated = _TODAY.sub(lambda call: repr(_DATE.strftime(call[2])), template)
    if "strftime_now(" in dated:
        raise ValueError("it writes today's date in a format that the call does not show")
    return dated


def _space_before_reply(tokenizer: "PreTrainedTokenizerBase", written: str) -> str:
    """The white space that the template writes between the end of a prompt and a reply, as in `[/INST] Jane`.

    `written` is what it writes for the prompt `_MARK` without a reply. The space is "" where a reply does not directly
    follow the prompt: some templates write reasoning first.
    """
    answered, mark, _ = _apply_template(tokenizer, _MARK, _REPLY).partition(_REPLY)
    space = answered.removeprefix(written)
    is_continued = mark and answered.startswith(written) and not space.strip()
    return space if is_continued else ""


def _with_trimmed_ends(prompt: str) -> tuple[str, ...]:
    """The prompt as it is, and without white space at both ends or at one of them."""
    return prompt, prompt.strip(), prompt.lstrip(), prompt.rstrip()
