"""Grounding's public functions: the workflow's targets `pairs` and `passages`, in memory.

Habibi, Lee and Seif El-Nasr 2026, "Beyond Accuracy: Introducing a Symbolic-Mechanistic Approach to
Interpretable Evaluation". Settings that are not arguments have the values of config/config.yaml.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mechaware.core.evaluation_log.passages import read_passages
from mechaware.core.frames import refuse_missing
from mechaware.core.levels import significance_at
from mechaware.core.library import CONFIG
from mechaware.core.seeds import derive_seed
from mechaware.instruments.grounding.data.pairs import SHORTCUT, TEXT_COLUMNS
from mechaware.instruments.grounding.passages.answering import answer_questions
from mechaware.instruments.grounding.passages.asking import ask_items
from mechaware.instruments.grounding.rules import Rule, Thresholds
from mechaware.instruments.grounding.tasks.measuring import measure_task
from mechaware.instruments.grounding.tasks.notes import reading_notes
from mechaware.instruments.grounding.tasks.reading import ModelLimits, read_task
from mechaware.models.context import context_length
from mechaware.models.opening import LoadedModel
from mechaware.models.patching.kv_cut import cuts_unequal
from mechaware.models.tokenisation.vocabulary import embedding_rows
from mechaware.verdicts.error_rates import ModelSize, read_calibration
from mechaware.verdicts.passages import PassagesEvidence, judge_passages, log_notes
from mechaware.verdicts.reads import ReadsEvidence, judge_task, median_length
from mechaware.verdicts.verdict import Verdict

CONFIDENCE_LEVEL = 0.95
RESAMPLES = 5000
SEED = 20260
THRESHOLDS = Thresholds(
    tau=0.4,
    alpha=0.9,
    null_quantile=0.95,
    unasked_share=0.5,
    significance=significance_at(CONFIDENCE_LEVEL),
)
VERDICT_SHARE = 0.5  # of the pairs, which must pass
TOKENS_PER_BATCH = 32768


def patch(
    model: LoadedModel,
    pairs: str | Path | pd.DataFrame | Sequence[Mapping[str, Any]],
    *,
    options: Sequence[str] = (),
    skip_faulty: bool = False,
    own: Sequence[Rule] = (),
    name: str = "pairs",
    seed: int = SEED,
) -> Verdict[ReadsEvidence]:
    """Does the model read the word in which two prompts differ?

    Decided by rules R1 to R3 and G1 to G5, on pairs of any task.

    The workflow gives the same verdict on a task called `name` in a config with this `seed`.

    Args:
        model: What `mechaware.load` returned.
        pairs: A CSV, JSON-lines or Parquet file, a table, or rows, one for each prompt of a pair.
            Columns: `pair` (an id), `prompt` (clean and corrupted; optional: third, irrelevant,
            unasked, both, other), `text`, `wanted` (the right answer), `against` (the other answer
            of the logit difference), `options` (the possible answers, separated by `|` or as a
            list). Optional columns: `category`, `place` (of the wanted answer), and `shortcut_*`,
            the answer that a shortcut gives. Read a table by `pd.read_csv(path, dtype=str,
            keep_default_na=False)`: otherwise pandas reads the answer NA as missing, and 007 as 7.
        options: The possible answers of every prompt that has no options of its own.
        skip_faulty: Leave out pairs that cannot be used, which `notes` lists, instead of stopping.
        own: Rules of your own, in addition to ours.
        name: The task's name, in messages of a table or rows; the bootstrap derives from it.
        seed: The seed of the bootstrap intervals.

    Returns:
        `status`: grounds, does not ground, not shown (one of G1 to G5 is not asked, for want of a
        prompt that it needs) or cannot tell (the options hold less than half of the probability).
        `reason`: why, in a sentence that begins with the swap rate.

        `error_rates`: how often each set of rules was right about models of known mechanism, or why
        there are no rates.

        `evidence` holds the tables.

        - `swap`: how often the answer follows the exchanged word.
        - `answers`: each answer.
        - `predicted`: the shares of answers that shortcuts predict.
        - `behaviour`: right answers by prompt, place and category.
        - `rules` and `sets`: the shares of pairs that pass a rule or a set of rules, as they are
          and corrected for the best shortcut.
        - `blocks` and `residual_map`: the shares of the gap, the difference of the clean and the
          corrupted logit difference, that the word's keys and values and the residual stream carry.
        - `components` and `faithfulness`: what heads and MLPs carry.

        `notes`: what a reader must know, such as that the model expects another spacing before the
        answers than they have. For a model that is asked by its chat template they have the tokens
        of the first clean prompt.

        `record()` gives all of it as a dictionary.

    Raises:
        UserError: A pair cannot be used (the message has a line for each fault). A text is missing
            (NaN); write the empty text where there is none. A prompt has a token that the model
            lacks. The model cannot be patched.
    """
    table = None
    if isinstance(pairs, str | Path):
        path = Path(pairs)
    else:
        # A table has no file: messages call it by the task's name.
        path = Path(name)
        table = _table(pairs, name)

    network, tokenizer, template = model
    limits = ModelLimits(
        context=context_length(network.config),
        n_embeddings=embedding_rows(network),
        template=template,
        equal_lengths=not cuts_unequal(network),
    )

    task = read_task(path, tokenizer, limits, table=table, options=options, skip_faulty=skip_faulty)
    measurements = measure_task(
        network,
        tokenizer,
        task.pairs,
        path,
        tokens_per_batch=TOKENS_PER_BATCH,
        template=template,
    )

    notes = [*task.notes, *measurements.notes]
    notes += reading_notes(
        network, tokenizer, task.pairs, tokens_per_batch=TOKENS_PER_BATCH, template=template
    )

    config = network.config.get_text_config()
    return judge_task(
        measurements,
        THRESHOLDS,
        read_calibration(CONFIG / "calibration/rules.csv"),
        size=ModelSize(config.num_hidden_layers, config.hidden_size),
        text_length=median_length(task.pairs),
        own=own,
        notes=notes,
        verdict_share=VERDICT_SHARE,
        confidence_level=CONFIDENCE_LEVEL,
        resamples=RESAMPLES,
        seed=derive_seed(seed, "patch_task", name),
    )


def passages(
    model: LoadedModel,
    log: str | Path,
    *,
    field: str = "",
    metric: str = "",
    name: str = "log",
    seed: int = SEED,
) -> Verdict[PassagesEvidence]:
    """How much of a benchmark's score follows the passages in its prompts?

    The model is asked again with each item's own passage, with another item's, and without one.

    The workflow gives the same verdict on a log called `name` in a config with this `seed`.

    Args:
        model: What `mechaware.load` returned.
        log: lm-eval's `samples_*.jsonl`, or a log of Inspect (.eval or .json), with questions about
            passages.
        field: The field of lm-eval's `doc` or Inspect's `metadata` that holds the passage. Default:
            of the fields passage, context, support, article, story and body whose text is in the
            prompt, the one with the longest text.
        metric: The mark in the log, as for `mechaware.read_log`.
        name: The log's name; the exchange of passages derives from it.
        seed: The seed of the exchange.

    Returns:
        `status`: follows, not shown or cannot tell (no right answer). `reason`: why, in a sentence.

        `evidence` holds the tables.

        - `accuracies`: the score in the log, and the accuracies when the model is asked again with
          an item's own passage, with another item's, and without a passage.
        - `comparisons`: own passages compared with each other condition, item by item, and the
          share of the score that remains.
        - `follows`: 1 - the share that remains with exchanged passages.
        - `answers`: a record for each item and condition.

        `error_rates` has no rates: they are not measured. `notes`: what a reader must know, such as
        which samples are not asked.

    Raises:
        UserError: The file is no log, no prompt in it has a passage, all passages are the same, or
            the model can read too few of them. A prompt has a token that the model lacks.
    """
    network, tokenizer, template = model
    passage_log = read_passages(Path(log), field=field, metric=metric)

    limits = ModelLimits(
        context=context_length(network.config),
        n_embeddings=embedding_rows(network),
        template=template,
    )
    seed_of_exchange = derive_seed(seed, "exchange_passages", name)
    questions, unreadable = ask_items(passage_log.items, tokenizer, limits, seed_of_exchange)
    answers = answer_questions(network, tokenizer, questions, template=template)

    return judge_passages(
        answers,
        questions,
        confidence_level=CONFIDENCE_LEVEL,
        notes=log_notes([*passage_log.faults, *unreadable], template),
    )


def _table(pairs: pd.DataFrame | Sequence[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """The prompts as a table whose columns of texts have no missing cells.

    In `pairs` that are rows, None and an absent key stand for the empty text. Raises `UserError`
    for a missing cell of a table: it may have been the text NA or None.
    """
    table = pairs if isinstance(pairs, pd.DataFrame) else _table_of_rows(pairs)
    text_columns = []
    for column in map(str, table.columns):
        if column in TEXT_COLUMNS or column.startswith(SHORTCUT):
            text_columns.append(column)
    refuse_missing(table, text_columns, name, first_row=1)
    return table


def _table_of_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows as a table; a cell that is None or absent is the empty text.

    The columns are the keys with a cell in any row, in the order in which they first appear:

        {"text": "a"}                     text  third
        {"text": "b", "third": "c"}  ->   a
                                          b     c
    """
    filled = []
    columns: dict[str, None] = {}
    for row in rows:
        cells = {column: cell for column, cell in row.items() if cell is not None}
        filled.append(cells)
        columns |= dict.fromkeys(cells)

    values = []
    for cells in filled:
        values.append([cells.get(column, "") for column in columns])
    return pd.DataFrame(values, columns=list(columns), dtype=object)
