r"""Prompts as a model that was trained on chats is asked: inside the chat template of its tokenizer.

The template surrounds the prompt, which is the message of a user, and ends where the model's reply begins:

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

# Some templates write today's date (Llama 3.2): a run would give other numbers every day. This is the date that
# Llama's own template writes where it cannot know the day.
_DATE = date(2024, 7, 26)
_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
_MARK = "(the prompt)"  # a prompt that no template changes


class AskedPrompt(NamedTuple):
    """The text that a model reads for a prompt: the prompt, and what the template writes around it."""

    before: str
    prompt: str
    after: str

    @property
    def text(self) -> str:
        """The whole text, behind which the reply stands."""
        return self.before + self.prompt + self.after


def ask(
    tokenizer: "PreTrainedTokenizerBase", prompts: Sequence[str], template: Template
) -> list[AskedPrompt]:
    """Each prompt as the model is asked: by itself for `none`, as a user's message for `chat`.

    A template may drop white space at the ends of a prompt. Raises `UserError` for a tokenizer without a template, and
    for a template that cannot write a single message of a user, or changes a prompt in another way.
    """
    if template == "none":
        return [AskedPrompt("", prompt, "") for prompt in prompts]

    name = tokenizer_name(tokenizer)
    if not tokenizer.chat_template:
        raise UserError(
            f"template: chat, but {name} has no chat template; write template: none, or save the tokenizer with one"
        )

    before, mark, after = _apply_template(tokenizer, _MARK).partition(_MARK)
    asked = []
    for prompt in prompts:
        text = _apply_template(tokenizer, prompt)
        inner = text[len(before) : len(text) - len(after)]
        whole = AskedPrompt(before, inner, after)
        if not mark or whole.text != text or inner not in _with_trimmed_ends(prompt):
            raise UserError(
                f"template: chat, but the chat template of {name} changes the prompt {prompt[:40]!r}, whose tokens "
                "could not be found; write template: none"
            )
        asked.append(whole)
    return asked


def reply_of(answer: str, template: Template) -> str:
    """An answer as it stands behind the prompt: as it is, or at the start of the assistant's message of a chat.

    There the white space is dropped that separates an answer from a question in one running text.
    """
    return answer if template == "none" else answer.lstrip()


def _apply_template(tokenizer: "PreTrainedTokenizerBase", prompt: str) -> str:
    from jinja2 import TemplateError

    try:
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}],
            chat_template=_dated(tokenizer.get_chat_template()),
            tokenize=False,
            add_generation_prompt=True,
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise UserError(
            f"template: chat, but the chat template of {tokenizer_name(tokenizer)} cannot write the message of a user "
            f"({error}); write template: none"
        ) from error
    return cast(str, text)


def _dated(template: str) -> str:
    """The template with `_DATE` in place of the day on which it is read."""
    return _TODAY.sub(lambda call: repr(_DATE.strftime(call[2])), template)


def _with_trimmed_ends(prompt: str) -> tuple[str, ...]:
    return prompt, prompt.strip(), prompt.lstrip(), prompt.rstrip()
