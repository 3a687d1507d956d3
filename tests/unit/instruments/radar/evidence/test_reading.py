"""Reading lines with and without a prefix, and continuing them, against plain loops over the model."""

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.tokenisation.start import StartToken, start_ids
from mechaware.models.training import LineRecipe, train_on_lines
from tests.unit.models.tiny_llama import tiny_llama, with_start, without_start

LINES = [
    QuestionAnswer("Lorak, Dabis, Zuten, Pamol zul:", " Bamor."),
    QuestionAnswer("Dabis, Lorak ket:", " Zuten."),
    QuestionAnswer("", "Lorak lives in Bamor."),
]
PREFIX = [
    QuestionAnswer("Pamol, Dabis zul:", " Keten."),
    QuestionAnswer("", "Zuten lives in Keten."),
]
TEXTS = [line.text for line in [*LINES, *PREFIX]]
CONTEXT = 128  # tokens
MANY = 10_000  # tokens a batch


def reader(
    tokenizer_of: Callable[[Iterable[str]], PreTrainedTokenizerFast] = with_start,
    *,
    tokens_per_batch: int = MANY,
) -> TokenisedModel:
    tokenizer = tokenizer_of(TEXTS)
    return TokenisedModel(
        tiny_llama(tokenizer, context_length=CONTEXT), tokenizer, tokens_per_batch
    )


@pytest.fixture(
    scope="module", params=[with_start, without_start], ids=["start token", "no start token"]
)
def either(request: pytest.FixtureRequest) -> TokenisedModel:
    """A model whose tokenizer writes a start token before every text, and a model whose tokenizer does not."""
    return reader(request.param)


@pytest.fixture(scope="module")
def ours() -> TokenisedModel:
    return reader()


def bare(target: TokenisedModel, text: str) -> list[int]:
    return target.tokenizer(text, add_special_tokens=False).input_ids


def naive_log_probs(
    target: TokenisedModel, context: Sequence[int], ids: Sequence[int]
) -> list[float]:
    """log p of each of `ids` after `context`, one token at a time."""
    read = list(context)
    log_probs = []
    for token in ids:
        with torch.inference_mode():
            logits = target.model(torch.tensor([read])).logits[0, -1].double()
        log_probs.append(float(logits.log_softmax(-1)[token]))
        read.append(token)
    return log_probs


def naive_continuation(target: TokenisedModel, prompt: Sequence[int], tokens: int) -> list[int]:
    """The likeliest next token, `tokens` times, without a cache of keys and values."""
    read = list(prompt)
    for _ in range(tokens):
        with torch.inference_mode():
            logits = target.model(torch.tensor([read]), use_cache=False).logits[0, -1]
        read.append(int(logits.argmax()))
    return read[len(prompt) :]


def sentencepiece(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """As Llama 2's: a space is the first letter of the next word, and a space is put before every text."""
    learner = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    words = [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()]
    # While tokens are learned, none crosses the boundary of a word.
    learner.pre_tokenizer = pre_tokenizers.Sequence(words)
    special = ["<unk>", "<s>", "</s>"]
    learner.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=320, special_tokens=special, show_progress=False)
    )
    learner.pre_tokenizer = None
    learner.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    learner.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=learner, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def wordpiece(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """As BERT's: words without spaces, and a special token at each end."""
    learner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learner.normalizer = normalizers.BertNormalizer()
    learner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=320, special_tokens=special, show_progress=False)
    learner.train_from_iterator(texts, trainer)
    ends = [("[CLS]", 1), ("[SEP]", 2)]
    learner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=learner, cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    )


# Tokenizer, question, answer, and the tokens of the prompt and of the answer in the whole text.
TOKENISED = {
    "byte pairs": (without_start, "Dabis ket:", " Zuten.", ["Dabis", "Ġket", ":"], ["ĠZuten", "."]),
    "byte pairs, space before": (
        without_start,
        "Dabis ket: ",
        "Zuten.",
        ["Dabis", "Ġket", ":"],
        ["ĠZuten", "."],
    ),
    "pieces": (
        sentencepiece,
        "Dabis ket:",
        " Zuten.",
        ["<s>", "▁Dabis", "▁ket", ":"],
        ["▁Zuten", "."],
    ),
    "pieces, space before": (
        sentencepiece,
        "Dabis ket: ",
        "Zuten.",
        ["<s>", "▁Dabis", "▁ket", ":"],
        ["▁Zuten", "."],
    ),
    "pieces, statement": (sentencepiece, "", "Dabis ket:", ["<s>", "▁Dabis", "▁ket", ":"], []),
    "words": (wordpiece, "Dabis ket: ", "Zuten.", ["[CLS]", "dabis", "ket", ":"], ["zuten", "."]),
    "one token of both": (wordpiece, "Da", "bis ket", ["[CLS]", "dabis"], ["ket"]),
}


@pytest.mark.parametrize(
    ("tokenizer_of", "question", "answer", "prompt", "rest"), TOKENISED.values(), ids=TOKENISED
)
def test_a_line_is_tokenised_as_one_text(
    tokenizer_of: Callable[[Iterable[str]], PreTrainedTokenizerFast],
    question: str,
    answer: str,
    prompt: list[str],
    rest: list[str],
) -> None:
    target = reader(tokenizer_of)
    line = QuestionAnswer(question, answer)
    (prompt_ids,) = target.prompt_ids([line])
    (answer_ids,) = target.answer_ids([line])

    assert target.tokenizer.convert_ids_to_tokens(prompt_ids) == prompt
    assert target.tokenizer.convert_ids_to_tokens(answer_ids) == rest

    start = start_ids(target.tokenizer, len(target.tokenizer))
    whole = [*start, *bare(target, line.text)]
    assert target.text_ids([line]) == [whole]

    end = [target.tokenizer.eos_token_id] if target.tokenizer.eos_token_id is not None else []
    ((asked, answered),) = target.lines_with_end([line])  # as a model is trained
    assert [*start, *asked, *answered] == [*whole, *end]


@pytest.mark.parametrize(
    ("tokenizer_of", "start", "expected", "warned"),
    [
        (with_start, "auto", ["<|endoftext|>"], False),
        (with_start, "never", [], False),
        (without_start, "auto", [], True),
        (without_start, "always", ["<|endoftext|>"], False),
        (without_start, "never", [], False),
        (wordpiece, "auto", ["[CLS]"], False),
    ],
)
def test_the_tokenizer_or_the_user_decides_on_the_start_token(
    tokenizer_of: Callable[[Iterable[str]], PreTrainedTokenizerFast],
    start: StartToken,
    expected: list[str],
    *,
    warned: bool,
) -> None:
    tokenizer = tokenizer_of(TEXTS)
    target = TokenisedModel(tiny_llama(tokenizer, context_length=CONTEXT), tokenizer, MANY, start)
    ids = tokenizer.convert_tokens_to_ids(expected)

    assert target.perhaps_lacks_start == warned
    for line, text, scores in zip(LINES, target.text_ids(LINES), target.score(LINES), strict=True):
        assert text == [*ids, *bare(target, line.text)]
        assert scores.ids.tolist() == text[1:]  # with a start token, every token of the line
    for plain, behind in zip(target.score(LINES), target.score(LINES, PREFIX), strict=True):
        assert behind.ids.tolist() == plain.ids.tolist()


def test_a_start_token_that_the_tokenizer_lacks_is_refused_in_one_line() -> None:
    tokenizer = wordpiece(TEXTS)

    with pytest.raises(
        UserError,
        match=r"^start_token: always, but the tokenizer of .* has no start token \(bos_token\); ",
    ):
        TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY, "always")


def test_every_token_but_the_first_is_scored(either: TokenisedModel) -> None:
    for ids, scores in zip(either.text_ids(LINES), either.score(LINES), strict=True):
        assert scores.ids.tolist() == ids[1:]
        np.testing.assert_allclose(
            scores.log_probs, naive_log_probs(either, ids[:1], ids[1:]), rtol=0, atol=1e-5
        )


def test_gradients_are_of_the_mean_loss_of_the_scored_tokens(either: TokenisedModel) -> None:
    norms = either.gradient_norms(LINES)

    assert norms is not None

    texts = either.text_ids(LINES)
    for norm, ids, scores in zip(norms, texts, either.score(LINES), strict=True):
        first = len(ids) - len(scores.ids)
        log_probs = either.model(torch.tensor([ids])).logits[0].log_softmax(-1)
        own = log_probs[first - 1 : -1].gather(-1, torch.tensor(ids[first:])[:, None])
        gradients = torch.autograd.grad(own.mean(), list(either.model.parameters()))
        whole = torch.cat([gradient.flatten().double() for gradient in gradients])
        assert norm == pytest.approx(float(whole.norm()), rel=1e-5)


def test_after_a_prefix_tokens_are_scored_in_the_format_of_training(
    either: TokenisedModel,
) -> None:
    starts = either.tokenizer("").input_ids
    before = list(starts)
    for line in PREFIX:
        before += [*bare(either, line.text), either.tokenizer.eos_token_id]
    for line, scores in zip(LINES, either.score(LINES, PREFIX), strict=True):
        ids = [*bare(either, line.question), *bare(either, line.answer)]
        unscored = 0 if starts else 1  # without a start token the line's first token is context
        expected = naive_log_probs(either, [*before, *ids[:unscored]], ids[unscored:])
        np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-5)


def test_an_answer_that_is_the_greedy_continuation_counts_as_answered() -> None:
    asked = [LINES[0], LINES[0]._replace(answer=" Bamorak."), LINES[1]]
    target = reader()
    learned = target.lines_with_end(LINES[:1])
    recipe = LineRecipe(batch_size=1, learning_rate=1e-2, warmup_steps=1, weight_decay=0.0)
    train_on_lines(target.model, learned * 20, [target.tokenizer.bos_token_id], recipe)
    continued = []
    for prompt, answer in zip(target.prompt_ids(asked), target.answer_ids(asked), strict=True):
        continued.append(naive_continuation(target, prompt, len(answer)) == answer)

    assert continued == [True, False, False]
    assert target.answered(asked, target.score(asked)) == continued


@pytest.mark.parametrize("tokens_per_batch", [1, 40, MANY])
def test_greedy_continuations_equal_a_loop_without_a_cache(tokens_per_batch: int) -> None:
    target = reader(tokens_per_batch=tokens_per_batch)
    prompts = [*target.prompt_ids(LINES), *target.prompt_ids(LINES[::-1]), [0, 5, 6]]
    continued = target.continue_greedily(prompts, 6)

    for prompt, ids in zip(prompts, continued, strict=True):
        assert ids.tolist() == naive_continuation(target, prompt, 6)


def test_draws_with_a_seed_are_reproducible_and_another_seed_gives_others(
    ours: TokenisedModel,
) -> None:
    def draw(seed: int) -> list[list[list[int]]]:
        samples = ours.sample(
            ours.prompt_ids(LINES), samples=3, tokens=5, temperature=1.0, seed=seed
        )
        drawn = []
        for sample in samples:
            drawn.append([ids.tolist() for ids in sample.drawn])
        return drawn

    assert draw(4) == draw(4)
    assert draw(4) != draw(5)
    assert all(drawn[0] != drawn[1] for drawn in draw(4))


def test_first_draws_have_the_probabilities_of_the_model_at_that_temperature(
    ours: TokenisedModel,
) -> None:
    prompt = [0, 5, 6]
    n_draws = 3000
    with torch.inference_mode():
        logits = ours.model(torch.tensor([prompt])).logits[0, -1].double()
    expected = (logits / 0.3).softmax(-1).numpy()
    (sample,) = ours.sample([prompt], samples=n_draws, tokens=1, temperature=0.3, seed=0)
    first = [int(drawn[0]) for drawn in sample.drawn]
    share = np.bincount(first, minlength=len(expected)) / n_draws

    assert expected.max() < 0.9
    # Five standard deviations of a share of so many draws, and one draw more for the rarest tokens.
    deviation = np.sqrt(expected * (1 - expected) / n_draws)
    assert np.all(np.abs(share - expected) <= 5 * deviation + 1 / n_draws)


LONG = QuestionAnswer("Lorak " * CONTEXT, " Bamor.")
READ: dict[str, Callable[[TokenisedModel], object]] = {
    "scored": lambda target: target.score([LINES[0], LONG]),
    "after a prefix": lambda target: target.score([LINES[0]], [LONG]),
    "continued": lambda target: target.continue_greedily(target.prompt_ids([LONG]), 1),
}


@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_a_text_longer_than_the_context_is_refused_in_one_line(
    either: TokenisedModel, read: Callable[[TokenisedModel], object]
) -> None:
    with pytest.raises(
        UserError, match=r"^a text of \d+ tokens exceeds the model's context of 128; shorten it$"
    ):
        read(either)


def test_a_continuation_ends_with_the_context(ours: TokenisedModel) -> None:
    ids = [0, *[5] * (CONTEXT - 7)]

    assert [len(continued) for continued in ours.continue_greedily([ids, [0, 5]], 9)] == [6, 9]
    with pytest.raises(UserError, match="a text of 129 tokens"):
        ours.continue_greedily([[0] * CONTEXT], 1)


def test_a_text_may_be_cut_at_the_end_of_the_context(ours: TokenisedModel) -> None:
    (scores,) = ours.score([LONG], cut=True)
    assert scores.ids.tolist() == ours.text_ids([LONG])[0][1:CONTEXT]


CHAT = (
    "{{ bos_token }}{% for message in messages %}[{{ message.role }}] {{ message.content }}.\n{% endfor %}"
    "{% if add_generation_prompt %}[reply]\n{% endif %}"
)


# Every message is opened with the start token, as SmolLM2's template does.
OPENING_CHAT = (
    "{% for message in messages %}{{ bos_token }}[{{ message.role }}] {{ message.content }}.\n{% endfor %}"
    "{% if add_generation_prompt %}{{ bos_token }}[reply]\n{% endif %}"
)


def chat_reader(
    tokenizer_of: Callable[[Iterable[str]], PreTrainedTokenizerFast], template: str = CHAT
) -> TokenisedModel:
    tokenizer = tokenizer_of([*TEXTS, "[user] ", "[reply]"])
    tokenizer.chat_template = template
    model = tiny_llama(tokenizer, context_length=CONTEXT)
    return TokenisedModel(model, tokenizer, MANY, template="chat")


@pytest.mark.parametrize("tokenizer_of", [with_start, without_start])
def test_in_a_chat_the_question_is_a_message_and_the_answer_begins_the_reply(
    tokenizer_of: Callable[[Iterable[str]], PreTrainedTokenizerFast],
) -> None:
    target = chat_reader(tokenizer_of)
    question = LINES[0]
    statement = LINES[2]
    texts = target.text_ids([question, statement])

    assert [target.tokenizer.decode(ids) for ids in texts] == [
        "<|endoftext|>[user] Lorak, Dabis, Zuten, Pamol zul:.\n[reply]\nBamor.",
        "<|endoftext|>[user] Lorak lives in Bamor..\n[reply]\n",
    ]

    messages = [{"role": "user", "content": question.question}]
    own = target.tokenizer.apply_chat_template(messages, add_generation_prompt=True).input_ids
    assert target.prompt_ids([question]) == [own]
    assert target.tokenizer.decode(target.answer_ids([question])[0]) == "Bamor."
    assert target.answer_ids([statement]) == [[]]


@pytest.mark.parametrize("tokenizer_of", [with_start, without_start])
def test_in_a_chat_only_the_tokens_of_question_and_answer_are_scored_and_the_template_is_context(
    tokenizer_of: Callable[[Iterable[str]], PreTrainedTokenizerFast],
) -> None:
    target = chat_reader(tokenizer_of)
    line = LINES[1]
    (ids,) = target.text_ids([line])
    (scores,) = target.score([line])

    assert target.tokenizer.decode(scores.ids) == " Dabis, Lorak ket:Zuten."
    assert target.scored_ids([line]) == [scores.ids.tolist()]
    # Their context is every token before them, of the text or of the template.
    n_answer = len(target.answer_ids([line])[0])
    first = ids.index(scores.ids[0])
    scored = [
        *range(first, first + len(scores.ids) - n_answer),
        *range(len(ids) - n_answer, len(ids)),
    ]
    behind = naive_log_probs(target, ids[:1], ids[1:])
    expected = [behind[position - 1] for position in scored]
    np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-5)


def test_in_a_chat_the_lines_of_a_prefix_are_earlier_chats_and_the_same_tokens_are_scored() -> None:
    target = chat_reader(with_start)
    end = target.tokenizer.eos_token_id
    plain = target.score(LINES)
    behind = target.score(LINES, PREFIX)

    for text, other in zip(plain, behind, strict=True):
        assert other.ids.tolist() == text.ids.tolist()
    before = [0]
    for ids in target.text_ids(PREFIX):
        before += [*ids[1:], end]
    (ids,) = target.text_ids(LINES[:1])
    (answer,) = target.answer_ids(LINES[:1])
    expected = naive_log_probs(target, [*before, *ids[1:]][: -len(answer)], answer)
    np.testing.assert_allclose(behind[0].log_probs[-len(answer) :], expected, rtol=0, atol=1e-5)


def test_chats_after_a_prefix_keep_the_start_token_that_opens_every_message() -> None:
    target = chat_reader(with_start, OPENING_CHAT)
    end = target.tokenizer.eos_token_id
    plain = target.score(LINES)
    behind = target.score(LINES, PREFIX)

    for text, other in zip(plain, behind, strict=True):
        assert other.ids.tolist() == text.ids.tolist()

    before: list[int] = []
    for ids in target.text_ids(PREFIX):
        before += [*ids, end]
    (ids,) = target.text_ids(LINES[:1])
    (answer,) = target.answer_ids(LINES[:1])
    expected = naive_log_probs(target, [*before, *ids][: -len(answer)], answer)
    np.testing.assert_allclose(behind[0].log_probs[-len(answer) :], expected, rtol=0, atol=1e-5)

    # Texts of several chats begin with the start token already, and get no second one.
    whole = []
    for question, reply in target.lines_with_end(PREFIX):
        whole += [*question, *reply]
    assert whole == before

    (likelihood,) = target.log_likelihoods([whole])
    assert likelihood == pytest.approx(
        sum(naive_log_probs(target, before[:1], before[1:])), abs=1e-4
    )


def test_the_text_that_the_model_reads_is_shown_with_the_scored_tokens_in_brackets() -> None:
    shown = chat_reader(with_start).show(QuestionAnswer("Zuten lives", " in Keten."))
    tokens = re.findall(r"(\[?)('(?:[^'\\]|\\.)*')", shown)

    assert "".join(literal_eval(piece) for _, piece in tokens) == (
        "<|endoftext|>[user] Zuten lives.\n[reply]\nin Keten."
    )
    assert "".join(literal_eval(piece) for bracket, piece in tokens if bracket) == (
        " Zuten livesin Keten."
    )
