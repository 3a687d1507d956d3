"""Reads a task's pairs and finds their faults with the tokenizer, before weights are loaded."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.rows import list_faults
from mechaware.instruments.grounding.data.pairs import Pair, read_pairs
from mechaware.instruments.grounding.readable_pairs import token_faults
from mechaware.instruments.grounding.tokens import tokenise
from mechaware.models.context import context_length
from mechaware.models.families.supported import FAMILIES
from mechaware.models.tokenisation.chat import Template

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class ModelLimits(NamedTuple):
    """What a model can read.

    - `context`: the most tokens of a prompt with its answer.
    - `n_embeddings`: token ids must be below it.
    - `template`: the chat template of prompts, or `none`.
    - `equal_lengths`: whether the clean, the corrupted and the third prompt of a pair must have
      equally many tokens. They must for a model of no family in `FAMILIES`: its keys and values
      cannot be cut otherwise.
    """

    context: int
    n_embeddings: int
    template: Template = "none"
    equal_lengths: bool = False


def model_limits(folder: Path, template: Template) -> ModelLimits:
    """What the model in a folder can read, according to its config.

    Raises `UserError` for a folder without a config that transformers can read.
    """
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, OSError) as error:
        raise UserError(
            f"{folder}: no config.json that transformers can read; give the folder of a model"
        ) from error
    return ModelLimits(
        context_length(config),
        config.get_text_config().vocab_size,
        template,
        equal_lengths=config.model_type not in FAMILIES,
    )


class Task(NamedTuple):
    """The pairs that are used, and why others are not.

    `faults_by_pair` has the faults of each other pair by its id; the id "" has the faults of rows
    that belong to no pair.
    """

    pairs: list[Pair]
    faults_by_pair: dict[str, list[str]]

    @property
    def notes(self) -> list[str]:
        """One note, if there are faults: how many pairs are used, and a line for each fault."""
        if not self.faults_by_pair:
            return []
        n_left_out = sum(pair_id != "" for pair_id in self.faults_by_pair)
        n_pairs = len(self.pairs) + n_left_out
        used = f"{len(self.pairs)} of {n_pairs} pairs used; faults of the others:"
        return [f"{used}\n{_list_all(self.faults_by_pair)}"]


def read_task(
    path: Path,
    tokenizer: "PreTrainedTokenizerBase",
    limits: ModelLimits,
    *,
    table: pd.DataFrame | None = None,
    options: Sequence[str] = (),
    skip_faulty: bool = False,
) -> Task:
    """The pairs of a file, or of a `table` that messages call `path`.

    `options` are the answer options of the prompts that have none of their own. Raises one
    `UserError` with all faults of the table. If the table has none, raises one with all faults that
    the tokens show. With `skip_faulty`, faulty pairs are left out instead, unless all are faulty.
    """
    faults_by_pair: dict[str, list[str]] = {}
    # `read_pairs` adds faulty pairs to a mapping `faults_by_pair`; if it is None, it raises.
    readable = read_pairs(
        path, table, options=options, faults_by_pair=faults_by_pair if skip_faulty else None
    )

    pairs = []
    for pair in readable:
        tokens = tokenise(pair, tokenizer, limits.n_embeddings, limits.template)
        faults = token_faults(
            pair,
            tokens,
            path,
            limits.context,
            whole_answers=True,
            equal_lengths=limits.equal_lengths,
        )
        if faults:
            faults_by_pair[pair.id] = faults
        else:
            pairs.append(pair)

    if not pairs or (faults_by_pair and not skip_faulty):
        raise UserError(_list_all(faults_by_pair))
    return Task(pairs, faults_by_pair)


def _list_all(faults_of_pairs: Mapping[str, Sequence[str]]) -> str:
    """The faults of all pairs, a line each."""
    return list_faults(list(chain(*faults_of_pairs.values())))
