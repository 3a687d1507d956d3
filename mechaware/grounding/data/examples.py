"""Worked examples: answered requests that stand before a prompt, for a model that was not trained on the task."""

import random
from collections.abc import Sequence
from typing import Any

from mechaware.errors import UserError
from mechaware.grounding.data.pairs import Pair, prompts_of
from mechaware.grounding.data.rows import Row, prompt_of


def worked_examples(rows: Sequence[Row], count: int, *, seed: int) -> str:
    """`count` answered requests of one column each, one on a line; their columns' places are used in turn.

    Raises `UserError` if the rows have fewer requests of one column at some place.
    """
    one_column = [row for row in rows if len(row.select) == 1]
    places = sorted({row.table_fields.index(row.select[0]) for row in one_column})
    chosen = []
    draw = random.Random(seed)  # noqa: S311
    for number in range(count):
        place = places[number % len(places)] if places else 0
        at_place = [row for row in one_column if row.table_fields.index(row.select[0]) == place and row not in chosen]
        if not at_place:
            raise UserError(
                f"grounding/pretrained/examples: {count} worked examples, but the training rows have fewer requests of "
                f"one column at place {place + 1}; ask for fewer"
            )
        chosen.append(draw.choice(at_place))
    return "".join(f"{prompt_of(row.english_prompt, row.create_statement)} {row.sql_statement}\n" for row in chosen)


def with_examples(pairs: Sequence[Pair], examples: str) -> list[Pair]:
    """The pairs with `examples` before each of their prompts; a prompt that a pair lacks stays empty."""

    def shown(pair: Pair) -> Pair:
        prompts: dict[str, Any] = {f"{name}_prompt": examples + prompt for name, prompt in prompts_of(pair).items()}
        return pair._replace(**prompts)

    return list(map(shown, pairs))
