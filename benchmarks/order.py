"""False alarms and power of the test of a published order, on twins that read benchmarks in their order.

Run `OMP_NUM_THREADS=1 .venv/bin/python -m benchmarks.order results/radar/memorisation/s{0..4}` after `make results`,
whose clean bases are continued here: a twin of each base reads a file of 64 questions once, another four times and a
third sixteen times, each time cut into texts at other places, among 4,800 other lines. It never reads a fourth
file, and the base reads none: these give the false alarms. Options are tested on files of 32 questions with four
options each, read in the same way. Each file has a random order. The column `t_test_p` has Oren et al.'s t-test over
the same shards, `truescore_p` the peer's test of the same log-likelihoods (by shard, pooled by Fisher's method), and
the rows `sorted` the unread file in the order of the alphabet, which is refused. The peer is in no lock file:
`.venv/bin/pip install --no-deps truescore==0.7.4`.

The committed files were made at commit 98723626, with the clean bases of a default run.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import pandas as pd
import torch
from scipy import stats
from torch import nn

from mechaware.core.errors import UserError
from mechaware.core.frames import write_csv
from mechaware.core.seeds import derive_seed
from mechaware.core.stats import clopper_pearson
from mechaware.instruments.radar.benchmark import COLUMNS, Benchmark, BenchmarkItem
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.multiple_choice import with_options
from mechaware.instruments.radar.order.decision import order_tests
from mechaware.instruments.radar.order.meaning import check_order
from mechaware.instruments.radar.order.measuring import measure_orders
from mechaware.instruments.radar.order.options import Reordered
from mechaware.instruments.radar.order.sharding import PUBLISHED
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.twins.planted_files import read_held_out, read_lines
from mechaware.planted.twins.world import KINDS
from mechaware.verdicts.seen import order_procedure
from mechaware.verdicts.seen_calibration import PLANTED_TEXT

try:
    from truescore.contamination import combine_shards, exchangeability_test
except ModuleNotFoundError as missing:
    raise SystemExit(
        f"benchmarks/order.py: {missing}; its docstring has the line that installs the peer"
    ) from None

DOSES = (0, 1, 4, 16)  # a file for each
ITEMS = 64  # of a file
CHOICE_ITEMS = 32
OPTIONS = 4
FILLER_LINES = 4_000
FILLER_CHOICES = 800
TEXT_TOKENS = 200
BATCH = 8
LEARNING_RATE = 1e-3
SIGNIFICANCE = 0.05
SEED = 20260


def question_files(folder: Path, generator: random.Random) -> list[list[BenchmarkItem]]:
    """A file for each dose of questions that no model reads, both kinds mixed at random."""
    fresh = read_held_out(folder / "planted").fresh
    lines = [line for kind in KINDS for line in fresh[kind]]
    generator.shuffle(lines)
    files = []
    for start in range(0, len(DOSES) * ITEMS, ITEMS):
        rows = enumerate(lines[start : start + ITEMS])
        files.append([BenchmarkItem(f"q{start + row}", line, None, row) for row, line in rows])
    return files


def choice_item(
    name: str, lines: Sequence[QuestionAnswer], generator: random.Random
) -> BenchmarkItem:
    """The first of the lines with its own answer and those of the others, in a random order."""
    options = [line.answer.strip(" .") for line in lines]
    order = generator.sample(range(len(options)), len(options))
    options = [options[place] for place in order]
    answer_place = order.index(0)
    stem = lines[0].question
    line = with_options(stem, options, answer_place)
    return BenchmarkItem(
        name, line, None, 0, stem=stem, options=tuple(options), answer_place=answer_place
    )


def choice_items(
    lines: Sequence[QuestionAnswer], n: int, generator: random.Random
) -> Iterator[BenchmarkItem]:
    """`n` items with options from lines of the corpora; no two of an item's options are equal."""
    made = 0
    while made < n:
        drawn = generator.sample(lines, OPTIONS)
        if len({line.answer for line in drawn}) == OPTIONS:
            made += 1
            yield choice_item(f"c{made}", drawn, generator)


def ids_of(target: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
    """The token ids of each line with its end."""
    return [[*question, *answer] for question, answer in target.lines_with_end(lines)]


def texts_of(
    items: Sequence[Sequence[int]], start: Sequence[int], generator: random.Random
) -> Iterator[list[int]]:
    """The items one behind the other, in texts of `TEXT_TOKENS` tokens behind `start`; the first's length is random."""
    tokens = [token for ids in items for token in ids]
    begin = 0
    end = generator.randint(TEXT_TOKENS // 4, TEXT_TOKENS)
    while begin < len(tokens):
        yield [*start, *tokens[begin:end]]
        begin = end
        end = begin + TEXT_TOKENS


def train(model: nn.Module, texts: Sequence[list[int]]) -> None:
    """Train in place on the texts, each once, by AdamW with a rate that falls to 0."""
    steps = len(texts) // BATCH
    optimiser = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for step in range(steps):
        batch = [torch.tensor(ids) for ids in texts[step * BATCH : (step + 1) * BATCH]]
        ids = nn.utils.rnn.pad_sequence(batch, batch_first=True)
        labels = nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=-100)
        loss = model(input_ids=ids, labels=labels, use_cache=False).loss
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()


def tested(
    target: TokenisedModel,
    items: Sequence[BenchmarkItem],
    reordered: Reordered,
    folder: Path,
    seed: int,
) -> dict[str, object]:
    """The p-value of a file, those of the t-test and of the peer over the same shards, and whether it is refused."""
    path = folder / "file.csv"
    rows = [(item.id, item.line.question, item.line.answer) for item in items]
    write_csv(pd.DataFrame(rows, columns=list(COLUMNS)), path)
    benchmark = Benchmark(path, tuple(items))

    orders = measure_orders(target, benchmark, [reordered], seed)
    (test,) = order_tests(orders, seed)
    table = orders.pivot_table(index="shard", columns="order", values="log_likelihood")
    published = table[PUBLISHED]
    permuted = table.drop(columns=PUBLISHED)
    leads = published - permuted.mean(axis=1)
    p_of_shards = [
        exchangeability_test(published[shard], permuted.loc[shard]).p_value for shard in table.index
    ]

    try:
        check_order(benchmark, [reordered])
        refused = False
    except UserError:
        refused = True
    return {
        "p": test.p,
        "lead": test.lead,
        "t_test_p": float(stats.ttest_1samp(leads, 0, alternative="greater").pvalue),
        "truescore_p": combine_shards(p_of_shards).p_value,
        "refused": refused,
        "text_length": median(len(item.line.text) for item in items),
        "n_layers": target.model.config.num_hidden_layers,
        "d_model": target.model.config.hidden_size,
    }


def rows_of(folder: Path, scratch: Path) -> Iterator[dict[str, object]]:
    """A row for each file and model of one base: base, model, reordered, dose, and what `tested` gives.

    `scratch`: a folder for files. The model `sorted` is the twin; its unread file is then in the order of the
    alphabet.
    """
    seed = derive_seed(SEED, "order", folder.name)
    generator = random.Random(seed)  # noqa: S311
    tokenizer = load_tokenizer(folder / "C")
    lines = read_lines(folder / "planted", "A")
    corpus = [line for line in lines if line.question.endswith(":")]
    # For each way to reorder, a file for each dose.
    files: dict[Reordered, list[list[BenchmarkItem]]] = {
        "items": question_files(folder, generator),
        "options": [list(choice_items(corpus, CHOICE_ITEMS, generator)) for _ in DOSES],
    }

    base = TokenisedModel(load_model(folder / "C", torch.device("cpu")), tokenizer, 8192)
    start = base.text_ids([corpus[0]])[0][: base.n_start]
    texts: list[list[int]] = []
    for by_dose in files.values():
        for dose, items in zip(DOSES, by_dose, strict=True):
            ids = ids_of(base, [item.line for item in items])
            for _ in range(dose):
                texts += texts_of(ids, start, generator)
    filler = generator.sample(corpus, min(len(corpus), FILLER_LINES))
    choices = [item.line for item in choice_items(corpus, FILLER_CHOICES, generator)]
    texts += texts_of(ids_of(base, filler), start, generator)
    texts += texts_of(ids_of(base, choices), start, generator)
    generator.shuffle(texts)

    def row(
        model: str, reordered: Reordered, dose: int, items: Sequence[BenchmarkItem]
    ) -> dict[str, object]:
        named = {"base": folder.name, "model": model, "reordered": reordered, "dose": dose}
        return named | tested(base, items, reordered, scratch, seed)

    for reordered, by_dose in files.items():
        for items in by_dose[1:]:
            yield row("base", reordered, 0, items)

    torch.manual_seed(seed)
    train(base.model, texts)
    base.model.eval()
    for reordered, by_dose in files.items():
        for dose, items in zip(DOSES, by_dose, strict=True):
            yield row("twin", reordered, dose, items)
    by_alphabet = sorted(files["items"][0], key=lambda item: item.line.text)
    yield row("sorted", "items", 0, by_alphabet)


def rates(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a calibration (`mechaware.verdicts.error_rates`): false alarms and power of each kind of order.

    Here a verdict rests on a single kind, so that its p-value needs no correction. A file that is refused before any
    model runs is not found.
    """
    table = []
    files = rows[rows["model"] != "sorted"]
    for (reordered, dose), cell in files.groupby(["reordered", "dose"], sort=False):
        found = (cell["p"] <= SIGNIFICANCE) & ~cell["refused"].astype(bool)
        alarms = int(found.sum())
        n = len(cell)
        interval = clopper_pearson(alarms, n)
        n_items = ITEMS if reordered == "items" else CHOICE_ITEMS
        procedure = order_procedure([str(reordered)], SIGNIFICANCE)
        by_base = found.groupby(cell["base"]).mean()
        table.append(
            {
                "detectors": " ".join(procedure.asked),
                "level": SIGNIFICANCE,
                "n_layers": cell["n_layers"].iloc[0],
                "d_model": cell["d_model"].iloc[0],
                "dose": dose,
                "n_items": n_items,
                "n_seen": n_items if dose else 0,
                "n_control": 0,
                "models": cell["base"].nunique(),
                "draws": n,
                "independent": n,
                "seen": alarms / n,
                "low": interval.low,
                "high": interval.high,
                "confounded": 0.0,
                "lowest": by_base.min(),
                "highest": by_base.max(),
                "text": PLANTED_TEXT,
                "text_length": cell["text_length"].median(),
                "procedure": procedure.text,
            }
        )
    return pd.DataFrame(table)


def main() -> None:
    """Measure the bases that are named, and write a row for each file and the rates."""
    parser = argparse.ArgumentParser(
        description="False alarms and power of the test of a published order."
    )
    parser.add_argument("bases", nargs="+", type=Path, help="folders of results/radar/memorisation")
    parser.add_argument("--files", type=Path, default=Path("docs/measured/published_order.csv"))
    parser.add_argument("--rates", type=Path, default=Path("config/calibration/order.csv"))
    flags = parser.parse_args()

    rows = []
    with TemporaryDirectory() as scratch:
        for folder in flags.bases:
            rows += rows_of(folder, Path(scratch))
            table = pd.DataFrame(rows)
            write_csv(table, flags.files)
            write_csv(rates(table), flags.rates)


if __name__ == "__main__":
    main()
