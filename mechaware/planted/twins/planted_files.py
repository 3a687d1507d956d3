"""Counts, writes and reads what is planted for one seed (`planting.Planted`).

The folder that `write_planted` writes:

    items.jsonl, canaries.jsonl         the plan (`Plan`)
    C.parquet, A.parquet, B.parquet     the corpora: the lines that the base C and the twins A and B
                                        read
    fitting-{kind}.parquet, fresh-{kind}.parquet, unseen.parquet, seen.parquet
                                        questions for measurements (`HeldOut`); of these, models
                                        read only seen.parquet

Before it writes them, `write_planted` counts each item in the corpora. The counts prove that the
item's twin reads it, and that neither the other twin nor a base that is trained here does. (A
pretrained base has read other texts: its corpus C is empty.)
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from mechaware.core.files import atomic_write, read_json_lines, write_json_lines
from mechaware.core.frames import write_csv, write_parquet
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import CONTRADICTED, TWINS, VERBATIM, Item
from mechaware.planted.twins.planting import Canary, HeldOut, Plan, Planted
from mechaware.planted.twins.world import KINDS


def _count_truth(plan: Plan, corpora: Mapping[str, Sequence[QuestionAnswer]]) -> pd.DataFrame:
    """How often each item and its names (`Item.slots`) occur in each corpus.

    `corpora` has the lines that the base `C` and the twins `A` and `B` read. The expected counts of
    an item that the twin `half` reads `dose` times:

        counted                                        corpus of `half`    other corpora
        names                                          dose                0
        text, of a verbatim or a contradicted item     dose                0
        text, of an item in another form               0                   0

    Returns:
        A row per item. Columns: id, kind, form, dose, half, as in `Item`; for each corpus,
        `verbatim_{corpus}`, how often the item's text occurs there, and `names_{corpus}`, how often
        its names occur there, in their order and separated by commas, whatever the words before and
        after them.

    Raises:
        ValueError: A count differs from the expected one.
    """
    texts = {}
    for corpus, lines in corpora.items():
        texts[corpus] = "\n".join(line.text for line in lines)
    rows = []
    for item in plan.items:
        row = {
            "id": item.id,
            "kind": item.kind,
            "form": item.form,
            "dose": item.dose,
            "half": item.half,
        }
        is_verbatim = item.form in (VERBATIM, CONTRADICTED)
        for corpus, text in texts.items():
            n_texts = text.count(item.line.text)
            n_names = text.count(", ".join(item.slots))
            expected_names = item.dose if corpus == item.half else 0
            expected_texts = expected_names if is_verbatim else 0
            if n_texts != expected_texts or n_names != expected_names:
                raise ValueError(
                    f"item {item.id}: corpus {corpus} has its names {n_names} times, "
                    f"not {expected_names}, or its text {n_texts} times, not {expected_texts}"
                )
            row[f"verbatim_{corpus}"] = n_texts
            row[f"names_{corpus}"] = n_names
        rows.append(row)
    return pd.DataFrame(rows)


def write_planted(planted: Planted, folder: Path, truth: Path) -> None:
    """Write what was planted to `folder`, and the counts of every item to the CSV `truth`.

    Raises `ValueError`, before anything is written, if a count is not the expected one
    (`_count_truth`).
    """
    counts = _count_truth(planted.plan, planted.corpora)
    with atomic_write(folder) as partial:
        partial.mkdir()
        write_json_lines((item._asdict() for item in planted.plan.items), partial / "items.jsonl")
        write_json_lines(
            (canary._asdict() for canary in planted.plan.canaries), partial / "canaries.jsonl"
        )
        for name, lines in planted.corpora.items():
            _write_table(lines, partial / f"{name}.parquet")
        held_out = planted.held_out
        for kind in KINDS:
            _write_table(held_out.fitting[kind], partial / f"fitting-{kind}.parquet")
            _write_table(held_out.fresh[kind], partial / f"fresh-{kind}.parquet")
        _write_table(held_out.unseen, partial / "unseen.parquet")
        _write_table(held_out.seen, partial / "seen.parquet")
    write_csv(counts, truth)


def read_plan(folder: Path) -> Plan:
    """The items and canaries that `write_planted` wrote to a folder."""
    items = []
    for row in read_json_lines(folder / "items.jsonl"):
        # JSON has lists where an item has tuples.
        for name in ("slots", "counterfactual"):
            row[name] = tuple(row[name])
        items.append(Item(**row))
    canaries = [Canary(**row) for row in read_json_lines(folder / "canaries.jsonl")]
    return Plan(items, canaries)


def read_held_out(folder: Path) -> HeldOut:
    """The questions for measurements that `write_planted` wrote to a folder."""
    return HeldOut(
        fitting={kind: _read_table(folder / f"fitting-{kind}.parquet") for kind in KINDS},
        fresh={kind: _read_table(folder / f"fresh-{kind}.parquet") for kind in KINDS},
        unseen=_read_table(folder / "unseen.parquet"),
        seen=_read_table(folder / "seen.parquet"),
    )


def read_lines(folder: Path, corpus: str) -> list[QuestionAnswer]:
    """The lines that the model `corpus` reads: C, A or B; raises `ValueError` for another name."""
    if corpus not in ("C", *TWINS):
        raise ValueError(f"no corpus '{corpus}'")
    return _read_table(folder / f"{corpus}.parquet")


def _write_table(lines: Sequence[QuestionAnswer], path: Path) -> None:
    """Write the lines as a Parquet table with the columns question and answer."""
    write_parquet(pd.DataFrame(lines, columns=QuestionAnswer._fields), path)


def _read_table(path: Path) -> list[QuestionAnswer]:
    """The lines that `_write_table` wrote."""
    return [QuestionAnswer(*row) for row in pd.read_parquet(path).itertuples(index=False)]
