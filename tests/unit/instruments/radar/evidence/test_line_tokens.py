"""The tokens of lines under byte pairs, pieces and words, and the start token before them."""

from collections.abc import Iterable
from typing import NamedTuple

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.tokenisation.start import StartToken, start_ids
from tests.unit.instruments.radar.evidence.tiny_reader import (
    CONTEXT,
    LINES,
    PREFIX,
    TEXTS,
    TOKENS_PER_BATCH,
    MakeTokenizer,
    ids_alone,
    make_reader,
)
from tests.unit.models.tiny_llama import tiny_llama, with_start, without_start


def sentencepiece(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Like Llama 2's: a space begins the next word, and a space is put before every text."""
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
    """Like BERT's: words without spaces, and a special token at each end."""
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


class TokenisedLine(NamedTuple):
    """A line, and the tokens of its prompt and of its answer in the whole text."""

    make_tokenizer: MakeTokenizer
    line: QuestionAnswer
    prompt: list[str]
    answer: list[str]


TOKENISED_LINES = {
    "byte pairs": TokenisedLine(
        without_start,
        QuestionAnswer("Dabis ket:", " Zuten."),
        prompt=["Dabis", "Ġket", ":"],
        answer=["ĠZuten", "."],
    ),
    "byte pairs, space before the answer": TokenisedLine(
        without_start,
        QuestionAnswer("Dabis ket: ", "Zuten."),
        prompt=["Dabis", "Ġket", ":"],
        answer=["ĠZuten", "."],
    ),
    "pieces": TokenisedLine(
        sentencepiece,
        QuestionAnswer("Dabis ket:", " Zuten."),
        prompt=["<s>", "▁Dabis", "▁ket", ":"],
        answer=["▁Zuten", "."],
    ),
    "pieces, space before the answer": TokenisedLine(
        sentencepiece,
        QuestionAnswer("Dabis ket: ", "Zuten."),
        prompt=["<s>", "▁Dabis", "▁ket", ":"],
        answer=["▁Zuten", "."],
    ),
    # A line without a question is all prompt.
    "pieces, statement": TokenisedLine(
        sentencepiece,
        QuestionAnswer("", "Dabis ket:"),
        prompt=["<s>", "▁Dabis", "▁ket", ":"],
        answer=[],
    ),
    "words": TokenisedLine(
        wordpiece,
        QuestionAnswer("Dabis ket: ", "Zuten."),
        prompt=["[CLS]", "dabis", "ket", ":"],
        answer=["zuten", "."],
    ),
    "first token across the boundary": TokenisedLine(
        wordpiece,
        QuestionAnswer("Da", "bis ket"),
        prompt=["[CLS]", "dabis"],
        answer=["ket"],
    ),
}


@pytest.mark.parametrize("case", TOKENISED_LINES.values(), ids=TOKENISED_LINES)
def test_a_line_is_tokenised_as_one_text(case: TokenisedLine) -> None:
    reader = make_reader(case.make_tokenizer)
    tokenizer = reader.tokenizer
    (prompt_ids,) = reader.prompt_ids([case.line])
    (answer_ids,) = reader.answer_ids([case.line])

    assert tokenizer.convert_ids_to_tokens(prompt_ids) == case.prompt
    assert tokenizer.convert_ids_to_tokens(answer_ids) == case.answer

    start = start_ids(tokenizer, len(tokenizer))
    text_ids = [*start, *ids_alone(reader, case.line.text)]
    assert reader.text_ids([case.line]) == [text_ids]

    # As a model is trained on the line: the end of text follows.
    end = [] if tokenizer.eos_token_id is None else [tokenizer.eos_token_id]
    ((question_ids, answer_and_end),) = reader.lines_with_end([case.line])
    assert [*start, *question_ids, *answer_and_end] == [*text_ids, *end]


@pytest.mark.parametrize(
    ("make_tokenizer", "start", "expected", "perhaps_lacks_start"),
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
    make_tokenizer: MakeTokenizer,
    start: StartToken,
    expected: list[str],
    *,
    perhaps_lacks_start: bool,
) -> None:
    tokenizer = make_tokenizer(TEXTS)
    model = tiny_llama(tokenizer, context_length=CONTEXT)
    reader = TokenisedModel(model, tokenizer, TOKENS_PER_BATCH, start)
    start_tokens = tokenizer.convert_tokens_to_ids(expected)

    assert reader.perhaps_lacks_start == perhaps_lacks_start

    scores = reader.score(LINES)
    for line, ids, line_scores in zip(LINES, reader.text_ids(LINES), scores, strict=True):
        assert ids == [*start_tokens, *ids_alone(reader, line.text)]
        # With a start token these are all tokens of the line.
        assert line_scores.ids.tolist() == ids[1:]

    # After a prefix the same tokens are scored: without a start token a line's first token is left
    # out, though it has a context there.
    scores_after_prefix = reader.score(LINES, PREFIX)
    for line_scores, after_prefix in zip(scores, scores_after_prefix, strict=True):
        assert after_prefix.ids.tolist() == line_scores.ids.tolist()


def test_a_start_token_that_the_tokenizer_lacks_is_refused_in_one_line() -> None:
    tokenizer = wordpiece(TEXTS)

    with pytest.raises(
        UserError,
        match=r"^start_token: always, but the tokenizer of .* has no start token \(bos_token\); ",
    ):
        TokenisedModel(tiny_llama(tokenizer), tokenizer, TOKENS_PER_BATCH, "always")
