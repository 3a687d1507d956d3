"""Prompts inside a chat template: the ids that transformers gives the same chat,
with the start tokens once.
"""

from datetime import date

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.models.tokenisation.chat import AskedPrompt, ask
from mechaware.models.tokenisation.start import StartToken
from mechaware.models.tokenisation.token_ids import token_ids

# In the form of ChatML; STARTED writes the start token first.
TURNS = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
STARTED = "{{ bos_token }}" + TURNS
SPECIAL = ["<unk>", "<s>", "</s>", "<|user|>", "<|assistant|>", "<|end|>"]
WORDS = [*SPECIAL, "▁Who", "Who", "▁wrote", "▁Emma", "Emma", "?", "▁Jane", "Jane", "assistant"]


def chat_tokenizer(template: str | None, *, puts_start: bool) -> PreTrainedTokenizerFast:
    """Words as SentencePiece has them: the first word of a text gets a space (`▁Who`),
    a word after a special token gets none (`Who`).

    `puts_start`: whether the tokenizer puts the start token before a text.
    """
    vocabulary = {word: index for index, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(prepend_scheme="first"), pre_tokenizers.Split("?", "isolated")]
    )
    if puts_start:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 1)]
        )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=SPECIAL[3:],
    )
    fast.chat_template = template
    return fast


def in_words(ids: list[int]) -> str:
    return " ".join(WORDS[token] for token in ids)


@pytest.mark.parametrize(
    "text", ["Who wrote Emma?", "<s>Who wrote Emma?", " <s><s>Who wrote Emma?"]
)
def test_a_prompt_has_the_ids_that_transformers_gives_its_chat(text: str) -> None:
    tokenizer = chat_tokenizer(STARTED, puts_start=True)
    expected = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Who wrote Emma?"}], add_generation_prompt=True
    )
    (ids,) = token_ids(tokenizer, [text], len(WORDS), template="chat")
    assert ids == expected.input_ids
    assert in_words(ids) == "<s> <|user|> Who ▁wrote ▁Emma ? <|end|> <|assistant|>"


@pytest.mark.parametrize(
    ("template", "puts_start", "start", "first_two"),
    [
        (STARTED, True, "auto", ["<s>", "<|user|>"]),
        (STARTED, True, "always", ["<s>", "<|user|>"]),
        (STARTED, False, "auto", ["<s>", "<|user|>"]),
        (STARTED, False, "always", ["<s>", "<|user|>"]),
        (TURNS, True, "auto", ["<s>", "<|user|>"]),
        (TURNS, False, "auto", ["<|user|>", "Who"]),
        (TURNS, False, "always", ["<s>", "<|user|>"]),
        # `never` puts none, and takes none out of a template.
        (STARTED, True, "never", ["<s>", "<|user|>"]),
        (TURNS, True, "never", ["<|user|>", "Who"]),
    ],
)
def test_a_chat_has_the_start_token_once_whether_template_or_tokenizer_puts_it(
    template: str, start: StartToken, first_two: list[str], *, puts_start: bool
) -> None:
    tokenizer = chat_tokenizer(template, puts_start=puts_start)
    (ids,) = token_ids(tokenizer, ["Who wrote Emma?"], len(WORDS), start, template="chat")
    assert [WORDS[token] for token in ids[:2]] == first_two


def test_an_answer_begins_the_reply_without_the_space_that_follows_a_question() -> None:
    tokenizer = chat_tokenizer(STARTED, puts_start=True)
    (plain,) = token_ids(tokenizer, ["Who"], len(WORDS), template="none", answers=[" Jane"])
    (asked,) = token_ids(tokenizer, ["Who"], len(WORDS), template="chat", answers=[" Jane"])
    assert in_words(plain) == "<s> ▁Who ▁Jane"
    assert in_words(asked) == "<s> <|user|> Who <|end|> <|assistant|> Jane"


TRIMMING = TURNS.replace("message.content", "message.content | trim")


@pytest.mark.parametrize(
    ("template", "prompt"),
    [
        pytest.param(TURNS, " assistant ", id="kept as it is"),
        pytest.param(TRIMMING, "assistant", id="without white space at its ends"),
    ],
)
def test_the_prompt_is_found_though_the_template_writes_the_same_word(
    template: str, prompt: str
) -> None:
    tokenizer = chat_tokenizer(template, puts_start=False)
    assert ask(tokenizer, [" assistant "], "chat") == [
        AskedPrompt("<|user|>", prompt, "<|end|><|assistant|>", space="")
    ]


@pytest.mark.parametrize(
    ("before_a_reply", "in_a_reply", "space"),
    [
        ("<|assistant|>", "<|assistant|>", ""),
        ("<|assistant|>", "<|assistant|> ", " "),  # as after Llama 2's [/INST]
        ("<|assistant|>", "<|assistant|>Thought: none. ", ""),  # more than white space
        # What precedes a reply differs from what the prompt ends with: no space can be read off.
        ("<|assistant|><think>", "<|assistant|> ", ""),
    ],
)
def test_an_answer_follows_the_white_space_that_the_template_writes_before_a_reply(
    before_a_reply: str, in_a_reply: str, space: str
) -> None:
    template = (
        "{% for message in messages %}{% if message.role == 'user' %}<|user|>{{ message.content }}"
        f"<|end|>{{% else %}}{in_a_reply}{{{{ message.content }}}}{{% endif %}}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{before_a_reply}{{% endif %}}"
    )
    (asked,) = ask(chat_tokenizer(template, puts_start=False), ["Who"], "chat")
    assert asked.text == f"<|user|>Who<|end|>{before_a_reply}"
    assert asked.reply(" Jane") == f"{space}Jane"
    assert asked.reply("") == ""


def test_a_template_that_hides_the_format_of_todays_date_is_refused() -> None:
    template = "{% set format = '%Y' %}{{ strftime_now(format) }}:" + TURNS
    tokenizer = chat_tokenizer(template, puts_start=False)
    with pytest.raises(UserError, match="writes today's date in a format that the call does not"):
        ask(tokenizer, ["Who"], "chat")


def test_a_template_that_writes_todays_date_writes_the_same_date_every_day() -> None:
    tokenizer = chat_tokenizer("{{ strftime_now('%d %b %Y') }}:" + TURNS, puts_start=False)
    (asked,) = ask(tokenizer, ["Who"], "chat")
    # The date that Llama 3.2's own template writes if it cannot know the day.
    assert asked.before == "26 Jul 2024:<|user|>"
    assert date.today().strftime("%d %b %Y") not in asked.before


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (None, "has no chat template; write template: none, or save the tokenizer with one"),
        (
            "{{ raise_exception('begin with a system message') }}",
            r"cannot write the message of a user \(begin with a system message\); write template: none",
        ),
        (
            TURNS.replace("message.content", "message.content | upper"),
            "changes the prompt 'Who', whose tokens could not be found; write template: none",
        ),
        # Writes the number of messages, but not the prompt.
        ("{{ messages | length }}", "changes the prompt 'Who'"),
    ],
)
def test_a_template_that_cannot_hold_a_prompt_is_refused_in_one_line(
    template: str | None, message: str
) -> None:
    tokenizer = chat_tokenizer(template, puts_start=False)
    with pytest.raises(UserError, match=f"^template: chat, but the .*{message}") as refused:
        token_ids(tokenizer, ["Who"], len(WORDS), template="chat")
    assert "\n" not in str(refused.value)
