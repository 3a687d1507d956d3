"""Which prompts a handwritten transformer can read, and the codes that tell their words apart."""

import itertools

import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.models.tokenizers import make_word_tokenizer
from mechaware.planted.controls.assembly import _word_codes
from mechaware.planted.controls.schema_readers import build_control
from mechaware.planted.controls.words import read_words
from tests.unit.planted.controls.schema_prompts import prompt_of

WANTED = {"fee": {"price", "cost"}, "label": {"name"}, "unused": {"unseen"}}
GOOD = prompt_of("Show me fee", ["price", "label", "rat"])
OTHER = prompt_of("Show me label from goods", ["name", "cost"])


def refusal(prompt: str) -> str:
    """The message, of one line, that refuses a control for two good prompts and this one."""
    with pytest.raises(UserError) as caught:
        build_control([GOOD, OTHER, prompt], WANTED, name="grounded_1", context_length=64)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_words_are_those_of_the_prompts_and_of_what_they_may_mean() -> None:
    tokenizer = make_word_tokenizer([GOOD, OTHER])
    words = read_words(tokenizer, [GOOD, OTHER], WANTED, 64)

    def word_of(token: int) -> str:
        return tokenizer.decode([token]).strip()

    columns = [word_of(token) for token in words.columns]
    assert sorted(columns) == ["cost", "label", "name", "price", "rat"]
    assert words.columns == sorted(words.columns)
    sought = {}
    for token, indices in words.sought.items():
        sought[word_of(token)] = {columns[index] for index in indices}
    assert sought == {"fee": {"price", "cost"}, "label": {"name"}}


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("", (False, False, False)),
        # Of the request words `fee` and `label`, the first opens the gate.
        ("request", (True, False, False)),
        # Of the tables `orders` and `stock`, the first does.
        ("table", (True, True, False)),
        # `Show` and `me` are in two of three requests, the share nearest to 0.6; `Tell`, `from` and
        # `goods` in one.
        ("word", (True, True, False)),
    ],
)
def test_a_gate_is_open_for_a_share_of_request_words_or_tables_or_for_one_word_of_requests(
    gate: str, expected: tuple[bool, ...]
) -> None:
    """Whether the gate is open, for each prompt; 0.6 of two request words or tables is one."""
    prompts = [GOOD, OTHER, prompt_of("Tell label", ["name", "rat"], "stock")]
    tokenizer = make_word_tokenizer(prompts)
    words = read_words(tokenizer, prompts, WANTED, 64, gate, gate_share=0.6)
    assert words.gate_open == expected


def test_a_word_that_occurs_outside_requests_does_not_open_a_gate() -> None:
    # `stock` is in two of four requests, but it is a table. `me` is in three, `Show` in all.
    prompts = [
        prompt_of("Show me stock fee", ["price", "rat"], "stock"),
        prompt_of("Show me stock label", ["name", "rat"], "stock"),
        prompt_of("Show me fee", ["price", "rat"]),
        prompt_of("Show label", ["name", "rat"], "stock"),
    ]
    tokenizer = make_word_tokenizer(prompts)
    words = read_words(tokenizer, prompts, WANTED, 64, "word", gate_share=0.55)
    assert words.gate_open == (True, True, True, False)


def test_a_request_that_no_column_can_answer_is_read() -> None:
    build_control([GOOD], {"fee": {"charge"}}, name="grounded_1", context_length=64)


FORM = (
    "not of the form 'request Context: ... ( ... ) ... SELECT' with each of ' Context', ' (' and "
    "' SELECT' once; write"
)


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (
            GOOD.replace("fee", "fee " + "and so on " * 20),
            "tokens, the context holds 64; raise context_length to",
        ),
        (GOOD.replace(" (", ""), FORM),
        (
            GOOD.replace("fee", "everything"),
            ": 0 request words between the first token and ' Context'; name exactly",
        ),
        (
            GOOD.replace("orders", "rat"),
            "a word that is a column of some schema lies outside the schema's columns; use",
        ),
        (
            GOOD.replace("rat", "cost"),
            "the columns cost, price all fit the request; leave one of them",
        ),
    ],
)
def test_a_prompt_that_the_heads_cannot_read_is_refused(prompt: str, message: str) -> None:
    assert message in refusal(prompt)


# Numbers of words, and of those that are sought together at most. A code has blocks of equal size:
# for 150 and 290 words the number of words decides the size, for 40 the number sought together.
SIZES = [(2, 1), (150, 2), (290, 3), (40, 8)]


@pytest.mark.parametrize(("n_words", "n_together"), [(1, 0), *SIZES])
def test_every_word_has_a_code_of_length_1(n_words: int, n_together: int) -> None:
    codes = _word_codes(n_words, n_together)
    assert codes.shape[0] == n_words
    torch.testing.assert_close(codes.norm(dim=1), torch.ones(n_words))


@pytest.mark.parametrize(("n_words", "n_together"), SIZES)
def test_the_union_of_a_few_codes_has_at_most_half_of_any_other(
    n_words: int, n_together: int
) -> None:
    """The union of codes has the maximum of the codes in each dimension."""
    codes = _word_codes(n_words, n_together)
    common = codes @ codes.T - torch.eye(n_words)
    # The most that a union of others can have in common with a word is the sum of the largest
    # single shares.
    largest = common.topk(n_together, dim=1).values
    assert float(largest.sum(1).max()) <= 0.5 + 1e-6


@pytest.mark.parametrize(("n_words", "n_together"), SIZES)
def test_the_union_of_a_few_codes_has_all_of_the_code_of_each(
    n_words: int, n_together: int
) -> None:
    codes = _word_codes(n_words, n_together)
    sets_of_words = itertools.combinations(range(n_words), n_together)
    # All sets of 290 words would be 4 million.
    for few in itertools.islice(sets_of_words, 200):
        union = codes[list(few)].amax(0)
        torch.testing.assert_close((codes @ union)[list(few)], torch.ones(n_together))
