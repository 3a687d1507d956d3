"""Matched pairs of a clean and a corrupted prompt: their record, their files, and their tokens."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.errors import UserError
from mechaware.files import read_json_lines, write_json_lines
from mechaware.grounding.data.rows import columns_and_types
from mechaware.models.interventions.patch import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class Pair(NamedTuple):
    """One pair of prompts, which differ in the wanted column alone, and four variants of the clean prompt.

    Every prompt ends right before the first field of the answer, so the logits at the final position predict it.

    - `place`: that of the wanted column in the schema, from 1; `columns`: those of the clean schema, in order.
    - `request_word`: the request's word for the wanted column, neither `clean` nor `corrupted`.
    - `clean`, `corrupted`: the wanted column in the clean and in the corrupted schema.
    - `third`: another word that the request may mean, a database word where there is one; "" where there is none.
    - `unasked`: a column at another place; `replacement`: a database word that is related to no other word of the pair.
    - `third_prompt`: `third` stands for `clean`; "" without a third word. `unasked_prompt`: `replacement` stands for
      `unasked`. `both_prompt`: `corrupted` stands for `unasked`; "" where the request may mean both words.
      `irrelevant_prompt`: one column has another type.
    """

    id: str
    category: str
    place: int
    columns: list[str]
    request_word: str
    clean: str
    corrupted: str
    third: str
    unasked: str
    replacement: str
    clean_prompt: str
    corrupted_prompt: str
    third_prompt: str
    unasked_prompt: str
    both_prompt: str
    irrelevant_prompt: str


PROMPTS = tuple(name.removesuffix("_prompt") for name in Pair._fields if name.endswith("_prompt"))


def prompts_of(pair: Pair) -> dict[str, str]:
    """The prompts that a pair has, by name (of `PROMPTS`)."""
    return {name: prompt for name in PROMPTS if (prompt := getattr(pair, f"{name}_prompt"))}


def write_pairs(pairs: Iterable[Pair], path: Path) -> None:
    """Write pairs as JSON lines, whole or not at all."""
    write_json_lines((pair._asdict() for pair in pairs), path)


def read_pairs(path: Path) -> list[Pair]:
    """The pairs that `write_pairs` wrote."""
    return [Pair(**record) for record in read_json_lines(path)]


def columns_of(prompt: str) -> list[str]:
    """The columns of a prompt's schema, in order; worked examples before the prompt are passed over."""
    _, _, schema = prompt.rpartition(" ### Context: ")
    return [name for name, _ in columns_and_types(schema.partition(" ### Response:")[0])]


def first_of_each_category(pairs: Iterable[Pair], count: int) -> list[Pair]:
    """The first `count` pairs of each category, or all that it has, in the order given."""
    numbers = Counter[str]()
    chosen = []
    for pair in pairs:
        numbers[pair.category] += 1
        if numbers[pair.category] <= count:
            chosen.append(pair)
    return chosen


def is_one_token(tokenizer: "PreTrainedTokenizerBase", word: str) -> bool:
    """Whether `word`, with the space before it, is one token that `tokenizer` knows."""
    ids = tokenizer(f" {word}", add_special_tokens=False).input_ids
    return len(ids) == 1 and ids[0] != tokenizer.unk_token_id


def usable_pairs(pairs: Sequence[Pair], tokenizer: "PreTrainedTokenizerBase") -> list[Pair]:
    """The pairs whose words, of the request and of all six prompts, are one token each."""

    def words(pair: Pair) -> list[str]:
        third = [pair.third] if pair.third else []
        return [pair.request_word, pair.clean, pair.corrupted, *third, pair.unasked, pair.replacement]

    return [pair for pair in pairs if all(is_one_token(tokenizer, word) for word in words(pair))]


def tokenise_pairs(pairs: Sequence[Pair], tokenizer: "PreTrainedTokenizerBase") -> list[TokenPair]:
    """Token ids of each pair, the position where its prompts differ, and the ids of its two answers.

    Raises `UserError`, with the pair and the word, for a word that is not one token, and for prompts that differ in
    anything but that word.
    """
    return [_tokenise(pair, tokenizer) for pair in pairs]


def _tokenise(pair: Pair, tokenizer: "PreTrainedTokenizerBase") -> TokenPair:
    for word in (pair.clean, pair.corrupted):
        if not is_one_token(tokenizer, word):
            raise UserError(f"pair {pair.id}: '{word}' is not one token of the model's tokenizer; use another word")
    clean, corrupted = (tokenizer(prompt).input_ids for prompt in (pair.clean_prompt, pair.corrupted_prompt))
    correct, incorrect = (
        tokenizer(f" {word}", add_special_tokens=False).input_ids[0] for word in (pair.clean, pair.corrupted)
    )
    differing = [
        at
        for at, (clean_id, corrupted_id) in enumerate(zip(clean, corrupted, strict=False))
        if clean_id != corrupted_id
    ]
    words = [(clean[at], corrupted[at]) for at in differing]
    if len(clean) != len(corrupted) or words != [(correct, incorrect)]:
        raise UserError(
            f"pair {pair.id}: the prompts must differ in '{pair.clean}' and '{pair.corrupted}' alone, "
            f"but {len(differing)} tokens differ; write the same prompt with the two words in one place"
        )
    return TokenPair(clean, corrupted, differing[0], correct, incorrect)
