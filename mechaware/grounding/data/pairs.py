"""Matched pairs of a clean and a corrupted prompt: their record, files, worked examples and tokens."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mechaware.errors import UserError
from mechaware.files import read_json_lines, write_json_lines
from mechaware.grounding.data.rows import Row, columns_and_types, prompt_of
from mechaware.grounding.data.tasks import PROMPTS
from mechaware.grounding.names import SYNONYMS
from mechaware.models.patching.runs import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class Pair(NamedTuple):
    """One pair of prompts, which differ in the wanted column alone, and five variants of the clean prompt.

    Every prompt ends right before the first field of the answer, so the logits at the final position predict it.

    - `place`: the wanted column's place in the schema, from 1; `columns`: the clean schema's columns, in order.
    - `request_word`: the request's word for the wanted column, neither `clean` nor `corrupted`.
    - `clean`, `corrupted`: the wanted column in the clean and in the corrupted schema.
    - `third`: another database word that the request may mean; "" where there is none.
    - `other`: another column of the clean schema, which `other_request` names; both "" where no request word is known.
    - `unasked`: a column at another place; `replacement`: a database word that is related to no other word of the pair.
    - `third_prompt`: `third` replaces `clean`; "" without a third word. `unasked_prompt`: `replacement` replaces
      `unasked`. `both_prompt`: `corrupted` replaces `unasked`; "" where the request may mean both words.
      `irrelevant_prompt`: one column has another type. `other_prompt`: the request is for `other`.
    """

    id: str
    category: str
    place: int
    columns: list[str]
    request_word: str
    clean: str
    corrupted: str
    third: str
    other: str
    other_request: str
    unasked: str
    replacement: str
    clean_prompt: str
    corrupted_prompt: str
    third_prompt: str
    unasked_prompt: str
    both_prompt: str
    irrelevant_prompt: str
    other_prompt: str


def prompts_of(pair: Pair) -> dict[str, str]:
    """The prompts that a pair has, by name (of `tasks.PROMPTS`)."""
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


def wanted_columns(pairs: Sequence[Pair]) -> dict[str, set[str]]:
    """The columns that each request word may mean: clean words, third words, and corrupted ones that are synonyms."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        wanted[pair.request_word].add(pair.clean)
        if pair.third:
            wanted[pair.request_word].add(pair.third)
        if pair.category in SYNONYMS:
            wanted[pair.request_word].add(pair.corrupted)
        if pair.other:
            wanted[pair.other_request].add(pair.other)
    return dict(wanted)


def worked_examples(rows: Sequence[Row], count: int, *, seed: int) -> str:
    """`count` answered requests of one column each, one on a line; their columns' places are used in turn.

    Raises `UserError` if the rows have fewer requests of one column at some place.
    """
    one_column = [row for row in rows if len(row.select) == 1]
    # In turn over the places, or the examples would teach the model to copy one of them.
    places = sorted({row.table_fields.index(row.select[0]) for row in one_column})
    chosen = []
    generator = random.Random(seed)  # noqa: S311
    for number in range(count):
        place = places[number % len(places)] if places else 0
        at_place = [row for row in one_column if row.table_fields.index(row.select[0]) == place and row not in chosen]
        if not at_place:
            raise UserError(
                f"grounding/pretrained/examples: {count} worked examples, but the training rows have fewer requests of "
                f"one column at place {place + 1}; ask for fewer"
            )
        chosen.append(generator.choice(at_place))
    return "".join(f"{prompt_of(row.english_prompt, row.create_statement)} {row.sql_statement}\n" for row in chosen)


def with_examples(pairs: Sequence[Pair], examples: str) -> list[Pair]:
    """The pairs with `examples` before each of their prompts; a prompt that a pair lacks stays empty."""

    def shown(pair: Pair) -> Pair:
        prompts: dict[str, Any] = {f"{name}_prompt": examples + prompt for name, prompt in prompts_of(pair).items()}
        return pair._replace(**prompts)

    return list(map(shown, pairs))


def word_tokens(tokenizer: "PreTrainedTokenizerBase", word: str) -> tuple[int, ...]:
    """The tokens of `word`, with the space before it; none if `tokenizer` does not know one of them."""
    ids = tokenizer(f" {word}", add_special_tokens=False).input_ids
    return () if tokenizer.unk_token_id in ids else tuple(ids)


def usable_pairs(pairs: Sequence[Pair], tokenizer: "PreTrainedTokenizerBase") -> list[Pair]:
    """The pairs that can be measured with `tokenizer`, those whose longest word has the fewest tokens first.

    A pair can be measured if words that take each other's place have equally many tokens, and if every column of a
    prompt begins with a token of its own: a column is answered by its first token.
    """
    # Short words first: of each category the first pairs are measured.
    usable = [pair for pair in pairs if _is_usable(pair, tokenizer)]
    return sorted(usable, key=lambda pair: max(len(word_tokens(tokenizer, word)) for word in _words(pair)))


def _words(pair: Pair) -> list[str]:
    third = [pair.third] if pair.third else []
    return [pair.request_word, pair.clean, pair.corrupted, *third, pair.unasked, pair.replacement]


def _is_usable(pair: Pair, tokenizer: "PreTrainedTokenizerBase") -> bool:
    tokens = {word: word_tokens(tokenizer, word) for word in _words(pair)}
    if not all(tokens.values()):
        return False
    wanted = {tokens[word] for word in (pair.clean, pair.corrupted, pair.third) if word}
    unasked = {tokens[word] for word in (pair.unasked, pair.replacement)}
    schemas = [columns_of(prompt) for prompt in prompts_of(pair).values()]
    return (
        all(len({len(ids) for ids in alike}) == 1 for alike in (wanted, unasked))
        and len({ids[0] for ids in wanted | unasked}) == len(wanted | unasked)
        and all(_begin_differently(columns, tokenizer) for columns in schemas)
    )


def _begin_differently(columns: Sequence[str], tokenizer: "PreTrainedTokenizerBase") -> bool:
    return len({word_tokens(tokenizer, column)[:1] for column in columns}) == len(columns)


def tokenise_pairs(pairs: Sequence[Pair], tokenizer: "PreTrainedTokenizerBase") -> list[TokenPair]:
    """Token ids of each usable pair, the position and length of the word in which its prompts differ, and its answers.

    An answer is the first token of its word.
    """
    return [_tokenise(pair, tokenizer) for pair in pairs]


def _tokenise(pair: Pair, tokenizer: "PreTrainedTokenizerBase") -> TokenPair:
    word, other = (word_tokens(tokenizer, word) for word in (pair.clean, pair.corrupted))
    clean, corrupted = (tokenizer(prompt).input_ids for prompt in (pair.clean_prompt, pair.corrupted_prompt))
    # The words of a usable pair begin with different tokens, so that the first difference is where they begin.
    position = next(at for at, ids in enumerate(zip(clean, corrupted, strict=True)) if len(set(ids)) > 1)
    return TokenPair(clean, corrupted, position, word[0], other[0], len(word))
