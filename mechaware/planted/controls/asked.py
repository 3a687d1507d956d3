"""Prompts that ask for one column, of the data and of pairs, and what their request words mean in the data."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mechaware.instruments.grounding.data.alignment import align
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.data.rows import Row, columns_and_types, prompt_of
from mechaware.planted.controls.words import FINAL


class Asked(NamedTuple):
    """A prompt for one column: `request` is the word that names it, `wanted` the column ("" where none fits).

    `source` is `data` or `pairs`. `prompt` is the number of a prompt of the data or the id of a pair, and `part` which
    prompt of the pair it is, `clean` or `corrupted` ("" of the data). `schema` has the columns.
    """

    source: str
    prompt: str
    part: str
    text: str
    request: str
    wanted: str
    schema: tuple[str, ...]


def prompts_of_rows(rows: Sequence[Row]) -> list[Asked]:
    """The rows that select one column, as prompts that end where the column follows.

    Raises `UserError` for rows whose requests cannot be aligned with their SQL.
    """
    prompts = []
    for number, (row, before, after) in enumerate(align(rows).carriers, start=1):
        end = len(row.english_prompt) - len(after)
        request = row.english_prompt[len(before) : end]
        text = prompt_of(row.english_prompt, row.create_statement) + FINAL
        schema = tuple(name for name, _ in columns_and_types(row.create_statement))
        prompts.append(Asked("data", str(number), "", text, request, row.select[0], schema))
    return prompts


def prompts_of_pair(pair: Pair) -> list[Asked]:
    """The clean and the corrupted prompt of a pair."""
    prompts = []
    for part in ("clean", "corrupted"):
        prompt = pair.prompts[part]
        schema = tuple(option.strip() for option in prompt.options)
        wanted = prompt.wanted.strip()
        prompts.append(Asked("pairs", pair.id, part, prompt.text, prompt.request, wanted, schema))
    return prompts


class RequestWords(NamedTuple):
    """What request words mean in prompts of the data, and in pairs.

    `usual` is the column that each names most often in the data, and `fixed` the words that name no other one there.
    `meanings` are the columns that each may mean in the data or in a pair: some columns of pairs are in no row.
    """

    usual: dict[str, str]
    fixed: frozenset[str]
    meanings: dict[str, frozenset[str]]


def request_words(of_data: Iterable[Asked], of_pairs: Iterable[Asked]) -> RequestWords:
    """The meanings of the request words; of equally common columns the usual one is the first in the alphabet."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for prompt in of_data:
        counts[prompt.request][prompt.wanted] += 1

    usual = {}
    for request, of_word in counts.items():
        usual[request] = min(of_word, key=lambda column: (-of_word[column], column))
    fixed = frozenset(request for request, of_word in counts.items() if len(of_word) == 1)

    meanings: dict[str, frozenset[str]] = {}
    for request, of_word in counts.items():
        meanings[request] = frozenset(of_word)
    for prompt in of_pairs:
        if prompt.wanted:
            known = meanings.get(prompt.request, frozenset())
            meanings[prompt.request] = known | {prompt.wanted}
    return RequestWords(usual, fixed, meanings)
