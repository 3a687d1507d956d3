"""What is measured of a task's pairs: the tables that the rules read, heads and MLPs, and lengths of words."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.rules.grounded import cut_shares
from mechaware.instruments.grounding.tasks.components import ComponentTables, measure_components
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class TaskMeasurements(NamedTuple):
    """The tables of `measure_pairs`, and those of heads and MLPs (`measure_components`).

    `unequal`: the ids of the pairs whose words differ in length.
    """

    tables: PairMeasurements
    unequal: tuple[str, ...] = ()
    components: ComponentTables | None = None

    @property
    def notes(self) -> list[str]:
        """A sentence about words of different length; nothing if there are none."""
        if not self.unequal:
            return []
        cuts = self.tables.cuts
        whole = cuts[(cuts["kind"] == "all") & (cuts["mode"] == "denoise")]
        median = cut_shares(whole[whole["pair"].isin(self.unequal)]).median()
        return [
            f"in {len(self.unequal)} of {len(self.tables.pairs)} pairs the words differ in length: states are patched "
            f"at their last tokens; the word's keys and values in all blocks restore {median:.0%} of the gap (median), "
            "and the rest is what the shift of the text behind it changes"
        ]


def measure_task(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    path: Path,
    *,
    tokens_per_batch: int,
    template: Template = "none",
) -> TaskMeasurements:
    """Measure the pairs of a task, whose answers count by all of their tokens. Raises what `measure_pairs` raises."""
    tables = measure_pairs(
        model,
        tokenizer,
        pairs,
        path,
        tokens_per_batch=tokens_per_batch,
        template=template,
        whole_answers=True,
    )
    n_embeddings = embedding_rows(model)
    exchanges = {
        pair.id: exchange(pair, tokenise(pair, tokenizer, n_embeddings, template)) for pair in pairs
    }
    unequal = tuple(name for name, both in exchanges.items() if not both.equal_lengths)
    components = measure_components(
        model, list(exchanges.values()), tokens_per_batch=tokens_per_batch
    )
    return TaskMeasurements(tables, unequal, components)
