"""Files, worked examples and tokens of pairs; pairs of split words are left out."""

from pathlib import Path

import pytest
from transformers import PreTrainedTokenizerFast

from mechaware.controls.tokenizer import make_word_tokenizer
from mechaware.errors import UserError
from mechaware.grounding.data.pairs import (
    Pair,
    columns_of,
    prompts_of,
    read_pairs,
    tokenise_pairs,
    usable_pairs,
    with_examples,
    word_tokens,
    worked_examples,
    write_pairs,
)
from mechaware.grounding.data.rows import Row
from mechaware.models.registry import load_tokenizer
from tests.tiny_models import make_tiny_model
from tests.unit.grounding.pairs_by_hand import PAIRS


def prompt(*columns: str) -> str:
    schema = ", ".join(columns)
    return (
        f"### Instruction: Show fee from user_visits ### Context: CREATE TABLE orders ( {schema} ) ### Response: SELECT"
    )


PAIR = Pair(
    id="db_synonyms-01",
    category="db_synonyms",
    place=2,
    columns=["created_on", "price", "pet"],
    request_word="fee",
    clean="price",
    corrupted="cost",
    third="charge",
    other="created_on",
    other_request="discount",
    unasked="created_on",
    replacement="city",
    clean_prompt=prompt("created_on DATE", "price DECIMAL(10, 2)", "pet VARCHAR(20)"),
    corrupted_prompt=prompt("created_on DATE", "cost DECIMAL(10, 2)", "pet VARCHAR(20)"),
    third_prompt=prompt("created_on DATE", "charge DECIMAL(10, 2)", "pet VARCHAR(20)"),
    unasked_prompt=prompt("city DATE", "price DECIMAL(10, 2)", "pet VARCHAR(20)"),
    both_prompt=prompt("cost DATE", "price DECIMAL(10, 2)", "pet VARCHAR(20)"),
    irrelevant_prompt=prompt("created_on DATE", "price DECIMAL(10, 2)", "pet TEXT"),
    other_prompt=prompt("created_on DATE", "price DECIMAL(10, 2)", "pet VARCHAR(20)").replace("fee", "discount"),
)
TEXTS = PAIR[Pair._fields.index("clean_prompt") :]
BOTH_WAYS = [PAIR, PAIR._replace(id="db_synonyms-02", third="", third_prompt="")]


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_word_tokenizer([*TEXTS, " discount FROM"])


# Files and schemas


def test_files_hold_the_pairs_and_prompts_the_columns_without_their_types(tmp_path: Path) -> None:
    write_pairs(BOTH_WAYS, tmp_path / "pairs.jsonl")
    assert read_pairs(tmp_path / "pairs.jsonl") == BOTH_WAYS
    assert [columns_of(text) for text in TEXTS[:2]] == [["created_on", "price", "pet"], ["created_on", "cost", "pet"]]


# Tokens


def test_pairs_become_tokens_that_differ_at_the_wanted_column(tokenizer: PreTrainedTokenizerFast) -> None:
    for tokens in tokenise_pairs(BOTH_WAYS, tokenizer):
        assert tokenizer.decode(tokens.clean) == PAIR.clean_prompt
        assert tokenizer.decode(tokens.corrupted) == PAIR.corrupted_prompt
        assert tokenizer.decode([tokens.correct]) == " price"
        assert tokenizer.decode([tokens.incorrect]) == " cost"
        assert tokenizer.decode(tokens.clean[: tokens.position]).endswith(" created_on DATE,")
        differing = [at for at, (a, b) in enumerate(zip(tokens.clean, tokens.corrupted, strict=True)) if a != b]
        assert differing == [tokens.position]


def test_a_word_has_the_tokens_that_it_has_behind_a_space_and_none_if_one_is_unknown(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    for word, pieces in (("price", [" price"]), ("created_on", [" created_on"]), ("price cost", [" price", " cost"])):
        assert [tokenizer.decode([token]) for token in word_tokens(tokenizer, word)] == pieces
    assert word_tokens(tokenizer, "zebra") == word_tokens(tokenizer, "price zebra") == ()


def test_a_pair_is_not_usable_with_a_word_that_is_unknown_or_has_more_tokens_than_the_one_it_replaces(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    assert usable_pairs(BOTH_WAYS, tokenizer) == BOTH_WAYS
    roles = ("request_word", "clean", "corrupted", "third", "unasked", "replacement")
    spoilt = [PAIR._replace(**{role: "zebra"}) for role in roles]
    spoilt += [PAIR._replace(**{role: "price cost"}) for role in roles[1:]]
    assert usable_pairs([spoilt[0], PAIR, *spoilt[1:]], tokenizer) == [PAIR]


def test_no_pair_is_usable_by_a_model_that_reads_every_space_as_a_token(tmp_path: Path) -> None:
    # All words begin with the same token, the space.
    assert usable_pairs(BOTH_WAYS, load_tokenizer(make_tiny_model("gpt2", tmp_path / "m"))) == []


def row(number: int, columns: list[str], *select: str) -> Row:
    create = f"CREATE TABLE t{number} ( {', '.join(f'{column} TEXT' for column in columns)} )"
    answer = f"SELECT {', '.join(select)} FROM t{number}"  # noqa: S608
    return Row(f"Request {number}", create, answer, f"t{number}", columns, list(select))


def line(number: int, columns: str, selected: str) -> str:
    context = f"CREATE TABLE t{number} ( {columns} )"
    answer = f"SELECT {selected} FROM t{number}"  # noqa: S608
    return f"### Instruction: Request {number} ### Context: {context} ### Response: {answer}\n"


# One request of one column at place 1, two at place 2, none at place 3, one at place 4; 1 and 5 ask for two columns.
ROWS = [
    row(0, ["a", "b"], "b"),
    row(1, ["a", "b", "c"], "c", "a"),
    row(2, ["a", "b"], "a"),
    row(3, ["c", "d", "e", "f"], "f"),
    row(4, ["d", "e"], "e"),
    row(5, ["d", "e"], "d", "e"),
]
AT = {1: {"Request 2"}, 2: {"Request 0", "Request 4"}, 4: {"Request 3"}}


def requests(examples: str) -> list[str]:
    return [text.partition(" ### Context")[0].removeprefix("### Instruction: ") for text in examples.splitlines()]


def test_an_example_is_a_prompt_and_its_answer_on_a_line() -> None:
    assert worked_examples(ROWS, 1, seed=0) == line(2, "a TEXT, b TEXT", "a")


def test_examples_take_the_places_in_turn_and_no_request_twice() -> None:
    drawn = set()
    for seed in range(20):
        examples = worked_examples(ROWS, 3, seed=seed)
        first, second, fourth = requests(examples)
        assert first in AT[1]
        assert second in AT[2]
        assert fourth in AT[4]
        assert examples.endswith(line(3, "c TEXT, d TEXT, e TEXT, f TEXT", "f"))
        drawn.add(second)
    assert drawn == AT[2]
    rows = [*ROWS, row(6, ["g"], "g")]
    for seed in range(5):
        five = requests(worked_examples(rows, 5, seed=seed))
        assert {five[0], five[3]} == {"Request 2", "Request 6"}
        assert {five[1], five[4]} == AT[2]


@pytest.mark.parametrize(("rows", "count", "place"), [(ROWS, 4, 1), ([], 1, 1), (ROWS[:2], 2, 2)])
def test_too_few_requests_of_one_column_are_an_error(rows: list[Row], count: int, place: int) -> None:
    with pytest.raises(UserError) as refused:
        worked_examples(rows, count, seed=0)
    assert str(refused.value) == (
        f"grounding/pretrained/examples: {count} worked examples, but the training rows have fewer requests of one "
        f"column at place {place}; ask for fewer"
    )


def test_examples_stand_before_each_prompt_that_a_pair_has() -> None:
    examples = worked_examples(ROWS, 2, seed=0)
    for pair, shown in zip(PAIRS, with_examples(PAIRS, examples), strict=True):
        assert prompts_of(shown) == {name: examples + text for name, text in prompts_of(pair).items()}
        others = [name for name in Pair._fields if not name.endswith("_prompt")]
        assert [getattr(shown, name) for name in others] == [getattr(pair, name) for name in others]
        assert columns_of(shown.clean_prompt) == pair.columns
