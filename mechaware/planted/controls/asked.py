"""Prompts of the data and of pairs that ask for one column, and what their request words mean."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mechaware.instruments.grounding.data.alignment import align
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.data.rows import Row, columns_and_types, prompt_of
from mechaware.planted.controls.prompt_tokens import FINAL


class Asked(NamedTuple):
    """A prompt that asks for one column.

    - `source`: `data` or `pairs`.
    - `prompt`: the number of a prompt of the data, or the id of a pair.
    - `part`: which prompt of the pair it is, `clean` or `corrupted`; "" for one of the data.
    - `text`: the whole prompt, up to where the column follows.
    - `request`: the word that names the column.
    - `wanted`: the column, or "" where none fits.
    - `schema`: the columns, in order.
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
    asked = []
    for number, (row, before, after) in enumerate(align(rows).carriers, start=1):
        end = len(row.english_prompt) - len(after)
        request = row.english_prompt[len(before) : end]
        text = prompt_of(row.english_prompt, row.create_statement) + FINAL
        schema = tuple(name for name, _ in columns_and_types(row.create_statement))
        asked_of_row = Asked(
            source="data",
            prompt=str(number),
            part="",
            text=text,
            request=request,
            wanted=row.select[0],
            schema=schema,
        )
        asked.append(asked_of_row)
    return asked


def prompts_of_pair(pair: Pair) -> list[Asked]:
    """The clean and the corrupted prompt of a pair."""
    asked = []
    for part in ("clean", "corrupted"):
        prompt = pair.prompts[part]
        asked_of_part = Asked(
            source="pairs",
            prompt=pair.id,
            part=part,
            text=prompt.text,
            request=prompt.request,
            wanted=prompt.wanted.strip(),
            schema=tuple(option.strip() for option in prompt.options),
        )
        asked.append(asked_of_part)
    return asked


class RequestWords(NamedTuple):
    """What request words mean in prompts of the data, and in pairs.

    - `usual`: by request word, the column that it names most often in the data.
    - `fixed`: the words that name a single column in the data.
    - `meanings`: by request word, the columns that it names in the data or in a pair. Columns of
      pairs may be in no row.
    """

    usual: dict[str, str]
    fixed: frozenset[str]
    meanings: dict[str, frozenset[str]]


def request_words(data_prompts: Iterable[Asked], pair_prompts: Iterable[Asked]) -> RequestWords:
    """The meanings of the request words.

    Args:
        data_prompts: The prompts of the data; only these decide `usual` and `fixed`.
        pair_prompts: The prompts of pairs; their wanted columns are added to `meanings`.

    Returns:
        What each request word means. If a word names several columns equally often, the usual one
        is the first in the alphabet.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for prompt in data_prompts:
        counts[prompt.request][prompt.wanted] += 1

    usual = {}
    for request, by_column in counts.items():
        usual[request] = min(by_column, key=lambda column: (-by_column[column], column))
    fixed = frozenset(request for request, by_column in counts.items() if len(by_column) == 1)

    meanings: dict[str, frozenset[str]] = {}
    for request, by_column in counts.items():
        meanings[request] = frozenset(by_column)
    for prompt in pair_prompts:
        if prompt.wanted:
            earlier = meanings.get(prompt.request, frozenset())
            meanings[prompt.request] = earlier | {prompt.wanted}
    return RequestWords(usual, fixed, meanings)
