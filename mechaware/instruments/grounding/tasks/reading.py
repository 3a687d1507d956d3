"""Reads a task's pairs with only the model's tokenizer, so that faults are found before weights are loaded."""

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
    """What a model can read: `context` tokens at most, with ids below `n_embeddings`, in its chat `template` or none.

    `equal_lengths`: of a pair's prompts, because its keys and values cannot be cut otherwise.
    """

    context: int
    n_embeddings: int
    template: Template = "none"
    equal_lengths: bool = False


def model_limits(folder: Path, template: Template) -> ModelLimits:
    """What the model in a folder can read, according to its config. Raises `UserError` for a folder without one."""
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
    """The pairs that are used, and the faults of the others by the pair's id ("" for rows that belong to no pair)."""

    pairs: list[Pair]
    faults_by_pair: dict[str, list[str]]

    @property
    def notes(self) -> list[str]:
        """How many pairs are used, and the faults of the others, a line each; nothing if all are used."""
        if not self.faults_by_pair:
            return []
        n_faulty = sum(pair != "" for pair in self.faults_by_pair)
        n_pairs = len(self.pairs) + n_faulty
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

    A prompt that names no options has `options`. Raises one `UserError` with all faults of the table, else one with all
    faults of tokens; with `skip_faulty` faulty pairs are left out instead, unless all are faulty.
    """
    faults_by_pair: dict[str, list[str]] = {}
    # Given a mapping, `read_pairs` puts the faults into it; without a mapping it raises.
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
