"""The ids of a text as a model reads it, written by hand for tokenizers of a few words."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizer, PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.tokenisation.start import StartToken
from mechaware.models.tokenisation.token_ids import encode_prompts, encode_with_ends, token_ids
from tests.unit.models.tiny_llama import with_start, without_start

REPOSITORY = Path(__file__).resolve().parents[3]
# ▁ stands for the space before a word, as in SentencePiece.
WORDS = {"<unk>": 0, "<s>": 1, "</s>": 2, "<g>": 3, "Rome": 4, "is": 5, "▁Rome": 6, "▁is": 7}
N_EMBEDDINGS = len(WORDS)


def word_tokenizer(template: str, *, with_spaces: bool = False) -> PreTrainedTokenizerFast:
    """A tokenizer with a token for each word, which puts the special tokens of `template` around
    its text `$A`.

    With `with_spaces` a token includes the space before its word, and a space is put before a text:
    `Rome is` becomes ▁Rome ▁is.
    """
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="<unk>"))
    if with_spaces:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[(token, WORDS[token]) for token in ("<s>", "</s>", "<g>")]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=["<g>"],
    )


class Letters(PreTrainedTokenizer):
    """A tokenizer in Python of the letters a and b, without an unknown token."""

    vocab_files_names: dict[str, str] = {}  # noqa: RUF012
    letters = {"a": 0, "b": 1}  # noqa: RUF012
    vocab_size = 2

    def get_vocab(self) -> dict[str, int]:
        return self.letters

    def _tokenize(self, text: str, **_: object) -> list[str]:
        return list(text)

    def _convert_token_to_id(self, token: str) -> int | None:
        return self.letters.get(token)

    def _convert_id_to_token(self, index: int) -> str:
        return "ab"[index]


@pytest.mark.parametrize(
    ("template", "start", "text", "expected"),
    [
        # The tokenizer puts a start and an end token, as a Llama with add_eos_token. BERT has other
        # names for them.
        ("<s> $A </s>", "auto", "Rome is", [1, 4, 5]),
        ("<s> $A </s>", "auto", "<s>Rome is", [1, 4, 5]),
        ("<s> $A </s>", "auto", " \n<s>Rome is", [1, 4, 5]),
        ("<s> $A </s>", "auto", "<s> <s>Rome is", [1, 4, 5]),
        ("<s> $A </s>", "auto", "Rome<s></s>is", [1, 4, 1, 2, 5]),
        ("<s> $A </s>", "auto", "Rome is</s>", [1, 4, 5, 2]),
        ("<s> $A </s>", "auto", "<s>", [1]),
        ("<s> $A </s>", "auto", "", [1]),
        ("<s> $A </s>", "always", "<s>Rome is", [1, 4, 5]),
        ("<s> $A </s>", "never", "Rome is", [4, 5]),
        ("<s> $A </s>", "never", "<s>Rome is", [1, 4, 5]),
        # It puts only an end token, as T5.
        ("$A </s>", "auto", "Rome is", [4, 5]),
        ("$A </s>", "auto", "<s>Rome is", [1, 4, 5]),
        ("$A </s>", "always", "Rome is", [1, 4, 5]),
        ("$A </s>", "always", "<s>Rome is", [1, 4, 5]),
        # It puts neither, as GPT-2.
        ("$A", "auto", "Rome is", [4, 5]),
        ("$A", "always", "<s>Rome is", [1, 4, 5]),
        # It puts two start tokens; a text may begin with both or with either.
        ("<g> <s> $A </s>", "auto", "Rome is", [3, 1, 4, 5]),
        ("<g> <s> $A </s>", "auto", "<g><s>Rome is", [3, 1, 4, 5]),
        ("<g> <s> $A </s>", "auto", "<s>Rome is", [3, 1, 4, 5]),
        ("<g> <s> $A </s>", "auto", "<g>Rome is", [3, 1, 4, 5]),
    ],
)
def test_a_text_has_its_start_tokens_once_and_the_tokenizer_puts_nothing_after_it(
    template: str, start: StartToken, text: str, expected: list[int]
) -> None:
    tokenizer = word_tokenizer(template)
    _, ids = token_ids(tokenizer, ["is", text], N_EMBEDDINGS, start)
    assert ids == expected


@pytest.mark.parametrize("text", ["Rome is", "<s>Rome is", " <s>Rome is"])
def test_a_word_after_the_start_token_is_read_as_the_first_word_of_its_text(text: str) -> None:
    """For `<s>Rome is` the tokenizer itself gives <s> <s> Rome ▁is: it puts a second start token,
    and no space before the word that follows a special token.
    """
    tokenizer = word_tokenizer("<s> $A", with_spaces=True)
    assert tokenizer("<s>Rome is").input_ids == [1, 1, 4, 7]
    assert token_ids(tokenizer, [text], N_EMBEDDINGS) == [[1, 6, 7]]  # <s> ▁Rome ▁is


@pytest.mark.parametrize("make_tokenizer", [with_start, without_start])
@pytest.mark.parametrize("name", ["radar_train", "radar_test", "radar_matched"])
def test_the_ids_are_the_tokenizers_own_if_it_puts_no_end_token(
    make_tokenizer: Callable[[Iterable[str]], PreTrainedTokenizerFast], name: str
) -> None:
    texts = [prompt.prompt for prompt in read_prompts(REPOSITORY / f"config/prompts/{name}.csv")]
    tokenizer = make_tokenizer(texts[:20])
    expected = [tokenizer(text).input_ids for text in texts]
    assert token_ids(tokenizer, texts, len(tokenizer)) == expected


def test_the_end_of_a_token_is_the_number_of_characters_up_to_it() -> None:
    # `Rome` ends after 4 characters, `is` after two spaces and two letters more.
    tokenizer = word_tokenizer("<s> $A </s>")
    assert encode_with_ends(tokenizer, ["Rome  is"], N_EMBEDDINGS) == [([4, 5], [4, 8])]
    assert encode_with_ends(tokenizer, [], N_EMBEDDINGS) == []


def test_a_tokenizer_in_python_gives_no_ends_of_tokens() -> None:
    with pytest.raises(
        UserError,
        match=r"^the tokenizer of the model is not a fast one, so that question and answer",
    ):
        encode_with_ends(Letters(), ["ab"], 2)


@pytest.fixture
def tokenizer_with_extra(tmp_path: Path) -> PreTrainedTokenizerFast:
    """A tokenizer in the folder `mine` that has one token more than `N_EMBEDDINGS`."""
    word_tokenizer("<s> $A").save_pretrained(tmp_path / "mine")
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tmp_path / "mine")
    tokenizer.add_tokens(["<extra>"])
    return tokenizer


def test_a_token_beyond_the_embedding_is_refused_with_its_text_and_a_remedy(
    tokenizer_with_extra: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    long_text = "Rome " * 9 + "is <extra>"  # shown up to 40 characters
    with pytest.raises(UserError) as refused:
        token_ids(tokenizer_with_extra, ["is", long_text], N_EMBEDDINGS)
    assert str(refused.value) == (
        f"the tokenizer of {tmp_path}/mine puts '<extra>', id 8, in the text 'Rome Rome Rome Rome Rome Rome Rome Rome "
        "...', but the model's embedding has 8 rows (ids 0 to 7); use the model's own tokenizer, or call "
        "resize_token_embeddings(len(tokenizer)) on the model and save both again"
    )


@pytest.mark.parametrize(
    ("text", "n_embeddings", "expected"),
    [
        pytest.param("is", N_EMBEDDINGS, [1, 5], id="no text has the token"),
        pytest.param("is <extra>", N_EMBEDDINGS + 1, [1, 5, 8], id="resized embedding"),
        pytest.param("is <extra>", 64, [1, 5, 8], id="padded embedding"),
    ],
)
def test_an_added_token_is_accepted_if_it_has_an_embedding_or_no_text_has_it(
    tokenizer_with_extra: PreTrainedTokenizerFast,
    text: str,
    n_embeddings: int,
    expected: list[int],
) -> None:
    assert token_ids(tokenizer_with_extra, [text], n_embeddings) == [expected]


def test_a_start_token_beyond_the_embedding_is_refused_without_a_text() -> None:
    with pytest.raises(
        UserError,
        match=r"puts '<g>', id 3, before every text, but the model's embedding has 3 rows",
    ):
        token_ids(word_tokenizer("<g> $A"), ["Rome"], 3)


def byte_pairs_of_two_letters() -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.BPE(vocab={"a": 0, "b": 1}, merges=[]))
    )


def words_of_two_letters() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.WordLevel({"b": 0, "ab": 1}))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


@pytest.mark.parametrize(
    ("make_tokenizer", "known", "ids", "unknown", "message"),
    [
        (
            Letters,
            "ba",
            [1, 0],
            "bz",
            "the tokenizer of the model has no id for a token in the text 'bz'; use the model's",
        ),
        (
            byte_pairs_of_two_letters,
            "ba",
            [1, 0],
            "z",
            "the tokenizer of the model knows no token in the text 'z'; use the",
        ),
        (
            words_of_two_letters,
            "b",
            [0],
            "z",
            "the tokenizer of the model cannot read a text (WordLevel error: Missing",
        ),
    ],
)
def test_a_text_that_a_tokenizer_without_an_unknown_token_cannot_read_is_refused_in_one_line(
    make_tokenizer: Callable[[], PreTrainedTokenizerFast],
    known: str,
    ids: list[int],
    unknown: str,
    message: str,
) -> None:
    tokenizer = make_tokenizer()
    assert token_ids(tokenizer, [known], 2) == [ids]
    with pytest.raises(UserError) as refused:
        token_ids(tokenizer, [unknown], 2)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_prompt_longer_than_the_context_is_refused_by_its_name() -> None:
    tokenizer = word_tokenizer("<s> $A")
    limits = {"model": "tiny", "context_length": 2, "n_embeddings": N_EMBEDDINGS}
    assert encode_prompts(["Rome", "is"], ["x", "y"], tokenizer, **limits) == [[1, 4], [1, 5]]
    with pytest.raises(
        UserError, match=r"^y: 3 tokens, but tiny reads at most 2; shorten the prompt or choose"
    ):
        encode_prompts(["Rome", "Rome is"], ["x", "y"], tokenizer, **limits)
