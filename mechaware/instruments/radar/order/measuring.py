"""The log-likelihood of a benchmark in its published order and in permutations of it.

Oren et al. 2023 (arXiv:2310.17623), section 3: an order that carries no meaning is as likely as any
other to a model that has not read the file.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.order.options import Reordered, reorderable_items, with_order
from mechaware.instruments.radar.order.sharding import PERMUTATIONS, PUBLISHED, split_shards
from mechaware.models.context import context_length

_COLUMNS = ["shard", "n_items", "order", "log_likelihood"]


def measure_orders(
    target: TokenisedModel, benchmark: Benchmark, reordered: Sequence[Reordered], seed: int
) -> pd.DataFrame:
    """A row per order of each shard, the published order and `PERMUTATIONS` random ones.

    A shard is a run of items if items are reordered, and a single item if its options are. The
    columns are reordered (items or options), shard, n_items, order (0: as published, permutations
    from 1) and log_likelihood in nats.

    Permutations are drawn uniformly, so that one may repeat another or the published order.
    `reordered`: items, options or both. Raises `UserError` for items that do not fit the model's
    context, and for a likelihood that is not finite.
    """
    measures = {"items": measure_item_order, "options": measure_option_order}
    tables = []
    for name in reordered:
        table = measures[name](target, benchmark, derive_seed(seed, name))
        if not np.isfinite(table["log_likelihood"]).all():
            raise UserError(
                f"{benchmark.path}: a text has no finite likelihood, so that no order can be "
                "tested; load the model in float32"
            )
        table.insert(0, "reordered", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def measure_item_order(target: TokenisedModel, benchmark: Benchmark, seed: int) -> pd.DataFrame:
    """The rows of `measure_orders` for the order of the items, without `reordered`.

    A shard is a run of consecutive items. The model reads them as one text, with the end-of-text
    token after each item. Of the items 4, 5 and 6 the published order is [4, 5, 6], and [6, 4, 5]
    may be a permutation. Raises `UserError` if no two neighbouring items fit the model's context.
    """
    items = [[*question, *answer] for question, answer in target.lines_with_end(benchmark.lines)]
    # The start tokens precede every text.
    context = context_length(target.model.config) - target.n_start
    shards = split_shards([len(ids) for ids in items], context)
    if not shards:
        raise UserError(
            f"{benchmark.path}: no two neighbouring items fit the model's context of {context} "
            "tokens, so that their order cannot be tested; remove items from random_order"
        )

    rows = []
    for shard, members in enumerate(shards):
        generator = np.random.default_rng(derive_seed(seed, shard))
        orders: list[list[int]] = [members]
        for _ in range(PERMUTATIONS):
            orders.append(generator.permutation(members).tolist())
        texts = []
        for order in orders:
            in_order = [items[item] for item in order]
            texts.append(list(chain.from_iterable(in_order)))
        log_likelihoods = target.log_likelihoods(texts)
        for order_number, log_likelihood in enumerate(log_likelihoods, start=PUBLISHED):
            rows.append((shard, len(members), order_number, log_likelihood))
    return pd.DataFrame(rows, columns=_COLUMNS)


def measure_option_order(target: TokenisedModel, benchmark: Benchmark, seed: int) -> pd.DataFrame:
    """The rows of `measure_orders` for the order of the options, without `reordered`.

    Each item is a shard. The model reads an item by itself: the letters stay, the options after
    them are in another order, and the answer is the letter that is right in that order. Raises
    `UserError` for an item that does not fit the model's context.
    """
    context = context_length(target.model.config)
    rows = []
    for shard, item in enumerate(reorderable_items(benchmark)):
        generator = np.random.default_rng(derive_seed(seed, item.id))
        n_options = len(item.options)
        orders = [list(range(n_options))]
        for _ in range(PERMUTATIONS):
            orders.append(generator.permutation(n_options).tolist())
        texts = target.text_ids([with_order(item, order) for order in orders])
        longest = max(len(ids) for ids in texts)
        if longest > context:
            raise UserError(
                f"{benchmark.path}, {item.place}: {longest} tokens, but the model reads at most "
                f"{context}; shorten the item, or remove options from random_order"
            )
        # `text_ids` puts the start tokens first, and so does `log_likelihoods`.
        without_start = [ids[target.n_start :] for ids in texts]
        log_likelihoods = target.log_likelihoods(without_start)
        for order_number, log_likelihood in enumerate(log_likelihoods, start=PUBLISHED):
            rows.append((shard, 1, order_number, log_likelihood))
    return pd.DataFrame(rows, columns=_COLUMNS)
