"""Items that a model cannot be asked, and why, beside twenty that it can."""

import pytest
from transformers import PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.passages import PassageItem
from mechaware.instruments.grounding.passages.asking import ask_items
from mechaware.instruments.grounding.tasks.reading import ModelLimits
from mechaware.models.tokenizers import make_word_tokenizer

PASSAGES = tuple(f"Story {number}." for number in range(20))
QUESTION = " Is it true? Answer:"


def make_item(
    item_id: str,
    passage: str,
    after: str = QUESTION,
    options: tuple[str, ...] = (" no", " yes"),
) -> PassageItem:
    """An item whose prompt is its passage and `after`; "yes" is right."""
    return PassageItem(
        id=item_id,
        before="",
        passage=passage,
        after=after,
        options=options,
        accepted=(" yes",),
        correct=1.0,
    )


# The fewest items that can be asked (MIN_ITEMS), each with a passage of its own.
READABLE = [make_item(f"readable {number}", passage) for number, passage in enumerate(PASSAGES)]


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    """A token for each word: a prompt of READABLE has the passage's 3, and 6 of the question."""
    return make_word_tokenizer([*PASSAGES, QUESTION, " no yes"])


def left_out_beside_readable(
    item: PassageItem, tokenizer: PreTrainedTokenizerFast, context: int = 100
) -> list[str]:
    """The faults of the items READABLE and `item`; the items of READABLE must be asked."""
    limits = ModelLimits(context=context, n_embeddings=len(tokenizer))

    questions, left_out = ask_items([*READABLE, item], tokenizer, limits, seed=1)

    asked = {question.item.id for question in questions}
    assert asked >= {readable.id for readable in READABLE}
    assert (item.id in asked) == (not left_out)
    return left_out


@pytest.mark.parametrize(
    "options", [pytest.param((" no", " yes"), id="options"), pytest.param((), id="written answer")]
)
def test_an_item_whose_prompt_is_only_its_passage_is_left_out(
    tokenizer: PreTrainedTokenizerFast, options: tuple[str, ...]
) -> None:
    item = make_item("bare", "Story 3.", after="", options=options)

    assert left_out_beside_readable(item, tokenizer) == [
        "sample bare: nothing is left of its prompt without the passage"
    ]


def test_an_item_with_an_empty_option_is_left_out(tokenizer: PreTrainedTokenizerFast) -> None:
    item = make_item("empty", "Story 3.", options=("", " yes"))

    assert left_out_beside_readable(item, tokenizer) == ["sample empty: an option is empty"]


def test_an_item_is_left_out_if_prompt_and_option_have_more_tokens_than_the_context(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    """The passage has 4 tokens, the question 6 and the option 1."""
    item = make_item("long", "Story 3 4.")
    assert len(tokenizer(f"{item.prompt(item.passage)} yes").input_ids) == 11

    assert left_out_beside_readable(item, tokenizer, context=11) == []
    assert left_out_beside_readable(item, tokenizer, context=10) == [
        "sample long: 11 tokens with its answer, but the model reads at most 10"
    ]


@pytest.mark.parametrize(
    ("longest", "new_tokens"),
    [
        pytest.param(" yes no yes", 3 + 16, id="16 more than the longest first answer"),
        pytest.param(" yes" * 50, 64, id="64 at most"),
    ],
)
def test_a_written_answer_may_have_16_tokens_more_than_the_longest_first_one_but_at_most_64(
    tokenizer: PreTrainedTokenizerFast, longest: str, new_tokens: int
) -> None:
    written = [item._replace(options=()) for item in READABLE]
    # Further accepted answers do not count.
    written[3] = written[3]._replace(accepted=(longest, " no" * 60))
    limits = ModelLimits(context=100, n_embeddings=len(tokenizer))

    questions, _ = ask_items(written, tokenizer, limits, seed=1)

    assert {question.new_tokens for question in questions} == {new_tokens}


def test_too_few_items_that_can_be_asked_are_refused_with_the_reasons_of_the_others(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    empty = make_item("empty", "Story 3.", options=("", " yes"))
    limits = ModelLimits(context=100, n_embeddings=len(tokenizer))

    with pytest.raises(UserError) as refusal:
        ask_items([*READABLE[1:], empty], tokenizer, limits, seed=1)

    assert "the model can read 19 items with 19 passages" in str(refusal.value)
    assert "sample empty: an option is empty" in str(refusal.value)
