"""Lines in a chat template: the tokens that the model reads, and scores, also after a prefix."""

import re
from ast import literal_eval

import numpy as np
import pytest

from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from tests.unit.instruments.radar.evidence.tiny_reader import (
    CONTEXT,
    LINES,
    PREFIX,
    TEXTS,
    TOKENS_PER_BATCH,
    MakeTokenizer,
    log_probs_in_a_loop,
)
from tests.unit.models.tiny_llama import tiny_llama, with_start, without_start

CHAT = (
    "{{ bos_token }}"
    "{% for message in messages %}[{{ message.role }}] {{ message.content }}.\n{% endfor %}"
    "{% if add_generation_prompt %}[reply]\n{% endif %}"
)
# Every message is opened with the start token, as SmolLM2's template does.
OPENING_CHAT = (
    "{% for message in messages %}"
    "{{ bos_token }}[{{ message.role }}] {{ message.content }}.\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ bos_token }}[reply]\n{% endif %}"
)


def make_chat_reader(make_tokenizer: MakeTokenizer, template: str = CHAT) -> TokenisedModel:
    tokenizer = make_tokenizer([*TEXTS, "[user] ", "[reply]"])
    tokenizer.chat_template = template
    model = tiny_llama(tokenizer, context_length=CONTEXT)
    return TokenisedModel(model, tokenizer, TOKENS_PER_BATCH, template="chat")


@pytest.mark.parametrize("make_tokenizer", [with_start, without_start])
def test_in_a_chat_the_question_is_a_message_and_the_answer_begins_the_reply(
    make_tokenizer: MakeTokenizer,
) -> None:
    reader = make_chat_reader(make_tokenizer)
    tokenizer = reader.tokenizer
    question = QuestionAnswer("Lorak, Dabis, Zuten, Pamol zul:", " Bamor.")
    statement = QuestionAnswer("", "Lorak lives in Bamor.")
    texts = reader.text_ids([question, statement])

    assert [tokenizer.decode(ids) for ids in texts] == [
        "<|endoftext|>[user] Lorak, Dabis, Zuten, Pamol zul:.\n[reply]\nBamor.",
        "<|endoftext|>[user] Lorak lives in Bamor..\n[reply]\n",
    ]

    messages = [{"role": "user", "content": question.question}]
    prompt_ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True).input_ids
    assert reader.prompt_ids([question]) == [prompt_ids]
    (answer_ids,) = reader.answer_ids([question])
    assert tokenizer.decode(answer_ids) == "Bamor."
    assert reader.answer_ids([statement]) == [[]]


@pytest.mark.parametrize("make_tokenizer", [with_start, without_start])
def test_in_a_chat_only_question_and_answer_are_scored_and_the_template_is_context(
    make_tokenizer: MakeTokenizer,
) -> None:
    reader = make_chat_reader(make_tokenizer)
    line = QuestionAnswer("Dabis, Lorak ket:", " Zuten.")
    (ids,) = reader.text_ids([line])
    (scores,) = reader.score([line])

    assert reader.tokenizer.decode(scores.ids) == " Dabis, Lorak ket:Zuten."
    assert reader.scored_ids([line]) == [scores.ids.tolist()]

    # The log-probability of each token of `ids`, after all tokens before it, the template's
    # included. The first token has no context.
    log_probs = [np.nan, *log_probs_in_a_loop(reader, ids[:1], ids[1:])]
    (answer_ids,) = reader.answer_ids([line])
    n_answer = len(answer_ids)
    n_question = len(scores.ids) - n_answer
    first = ids.index(scores.ids[0])
    expected = [*log_probs[first : first + n_question], *log_probs[-n_answer:]]
    np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-5)


def check_answer_after_prefix(reader: TokenisedModel, prefix_ids: list[int]) -> None:
    """Check that the same tokens are scored after `PREFIX`, which the model reads as `prefix_ids`.

    The first line's answer is scored after `prefix_ids` and the line's chat without its first
    token, the start token. A chat that keeps its start token after a prefix has it at the end of
    `prefix_ids`.
    """
    scores = reader.score(LINES)
    scores_after_prefix = reader.score(LINES, PREFIX)
    for line_scores, after_prefix in zip(scores, scores_after_prefix, strict=True):
        assert after_prefix.ids.tolist() == line_scores.ids.tolist()

    (ids,) = reader.text_ids(LINES[:1])
    (answer_ids,) = reader.answer_ids(LINES[:1])
    n_answer = len(answer_ids)
    chat_without_start = ids[1:-n_answer]
    context = [*prefix_ids, *chat_without_start]
    expected = log_probs_in_a_loop(reader, context, answer_ids)
    measured = scores_after_prefix[0].log_probs[-n_answer:]
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-5)


def test_in_a_chat_the_lines_of_a_prefix_are_earlier_chats_and_the_same_tokens_are_scored() -> None:
    reader = make_chat_reader(with_start)
    start = reader.tokenizer.bos_token_id
    end = reader.tokenizer.eos_token_id
    # The text begins with the start token, and no later chat does.
    prefix_ids = [start]
    for ids in reader.text_ids(PREFIX):
        prefix_ids += [*ids[1:], end]

    check_answer_after_prefix(reader, prefix_ids)


def chats_that_open_with_start(reader: TokenisedModel) -> list[int]:
    """The tokens of the prefix's chats.

    Each chat keeps its start tokens, and the end of text follows it.
    """
    prefix_ids: list[int] = []
    for ids in reader.text_ids(PREFIX):
        prefix_ids += [*ids, reader.tokenizer.eos_token_id]
    return prefix_ids


def test_chats_after_a_prefix_keep_the_start_token_that_opens_every_message() -> None:
    reader = make_chat_reader(with_start, OPENING_CHAT)
    prefix_ids = chats_that_open_with_start(reader)

    check_answer_after_prefix(reader, [*prefix_ids, reader.tokenizer.bos_token_id])


def test_a_text_of_several_chats_begins_with_one_start_token() -> None:
    """`log_likelihoods` adds no second start token."""
    reader = make_chat_reader(with_start, OPENING_CHAT)
    chats: list[int] = []
    for question_ids, answer_ids in reader.lines_with_end(PREFIX):
        chats += [*question_ids, *answer_ids]
    assert chats == chats_that_open_with_start(reader)

    (likelihood,) = reader.log_likelihoods([chats])
    expected = sum(log_probs_in_a_loop(reader, chats[:1], chats[1:]))
    assert likelihood == pytest.approx(expected, abs=1e-4)


def test_the_text_that_the_model_reads_is_shown_with_the_scored_tokens_in_brackets() -> None:
    shown = make_chat_reader(with_start).show(QuestionAnswer("Zuten lives", " in Keten."))
    # Pieces such as 'Zut' or ['en'].
    pieces = re.findall(r"(\[?)('(?:[^'\\]|\\.)*')", shown)
    text = "".join(literal_eval(piece) for _, piece in pieces)
    scored_text = "".join(literal_eval(piece) for bracket, piece in pieces if bracket)

    assert text == "<|endoftext|>[user] Zuten lives.\n[reply]\nin Keten."
    assert scored_text == " Zuten livesin Keten."
