"""False alarms and power of the test of a published order, on twins that read files in that order.

Run `OMP_NUM_THREADS=1 .venv/bin/python -m benchmarks.order results/radar/memorisation/s{0..4}`
after `make results`, which makes the clean bases, and after installing the peer truescore, which is
in no lock file: `.venv/bin/pip install --no-deps truescore==0.7.4`.

`rows_of` continues each clean base: its twin reads a file of 64 questions once, another four times
and a third sixteen times, among 4,800 other lines. At each reading a file is cut into texts at
other places. The twin never reads a fourth file, and the base reads no file: these give the false
alarms. The order of options is tested on files of 32 questions with four options each, read in the
same way. Each file has a random order. The rows `sorted` have the unread file of questions in
alphabetical order, which is refused because such an order carries meaning.

`test_file` tests one file by three tests of the same log-likelihoods: ours, the t-test of Oren et
al. 2023 over the shards, and the test of truescore by shard, pooled by Fisher's method. `rates`
counts how often ours finds a file.

The committed files were made at commit 98723626, with the clean bases of a default run.
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
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
from mechaware.core.stats.intervals import clopper_pearson
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
        f"benchmarks/order.py: {missing}; its docstring has the command that installs truescore"
    ) from None

DOSES = (0, 1, 4, 16)  # how often the twin reads a file; a file for each
ITEMS = 64  # questions of a file
CHOICE_ITEMS = 32  # questions of a file of questions with options
OPTIONS = 4  # of such a question
# What the twin reads besides the files: lines of the corpus, and questions with options.
FILLER_LINES = 4_000
FILLER_CHOICES = 800
TEXT_TOKENS = 200
TOKENS_PER_BATCH = 8192  # when log-likelihoods are measured
BATCH = 8  # texts of a training step
LEARNING_RATE = 1e-3
NO_LOSS = -100  # a label that transformers leaves out of the loss
SIGNIFICANCE = 0.05
SEED = 20260


def question_files(folder: Path, generator: random.Random) -> list[list[BenchmarkItem]]:
    """A file for each dose, of questions that the base never read, both kinds mixed at random."""
    fresh = read_held_out(folder / "planted").fresh
    lines: list[QuestionAnswer] = []
    for kind in KINDS:
        lines += fresh[kind]
    generator.shuffle(lines)

    # ITEMS lines for each file, one after the other.
    files = []
    for start in range(0, len(DOSES) * ITEMS, ITEMS):
        items = []
        for row, line in enumerate(lines[start : start + ITEMS]):
            items.append(BenchmarkItem(f"q{start + row}", line, seen=None, row=row))
        files.append(items)
    return files


def choice_item(
    name: str, lines: Sequence[QuestionAnswer], generator: random.Random
) -> BenchmarkItem:
    """The first line's question, with the answers of all lines as options in a random order."""
    answers = [line.answer.strip(" .") for line in lines]
    order = generator.sample(range(len(answers)), len(answers))
    options = [answers[place] for place in order]
    answer_place = order.index(0)
    stem = lines[0].question
    return BenchmarkItem(
        name,
        with_options(stem, options, answer_place),
        seen=None,
        row=0,
        stem=stem,
        options=tuple(options),
        answer_place=answer_place,
    )


def choice_items(
    lines: Sequence[QuestionAnswer], n: int, generator: random.Random
) -> Iterator[BenchmarkItem]:
    """`n` items with options, each of `OPTIONS` lines drawn at random whose answers all differ."""
    made = 0
    while made < n:
        drawn = generator.sample(lines, OPTIONS)
        if len({line.answer for line in drawn}) == OPTIONS:
            made += 1
            yield choice_item(f"c{made}", drawn, generator)


def ids_of(target: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
    """The token ids of each line, with the end of text after it."""
    return [[*question, *answer] for question, answer in target.lines_with_end(lines)]


def texts_of(
    items: Sequence[Sequence[int]], start: Sequence[int], generator: random.Random
) -> Iterator[list[int]]:
    """Join the items and cut them into texts of `TEXT_TOKENS` tokens, with `start` before each.

    The first text has a random length, TEXT_TOKENS / 4 to TEXT_TOKENS, so that each call cuts at
    other places; the last text has what remains.
    """
    tokens = list(chain.from_iterable(items))
    begin = 0
    end = generator.randint(TEXT_TOKENS // 4, TEXT_TOKENS)
    while begin < len(tokens):
        yield [*start, *tokens[begin:end]]
        begin = end
        end = begin + TEXT_TOKENS


def train(model: nn.Module, texts: Sequence[list[int]]) -> None:
    """Train in place on the texts, each once, by AdamW with a rate that falls linearly to 0.

    The texts of a last batch that is not full are left out.
    """
    steps = len(texts) // BATCH
    optimiser = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for step in range(steps):
        batch = [torch.tensor(text) for text in texts[step * BATCH : (step + 1) * BATCH]]
        ids = nn.utils.rnn.pad_sequence(batch, batch_first=True)
        labels = nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=NO_LOSS)
        loss = model(input_ids=ids, labels=labels, use_cache=False).loss
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()


def test_file(
    target: TokenisedModel,
    items: Sequence[BenchmarkItem],
    reordered: Reordered,
    folder: Path,
    seed: int,
) -> dict[str, object]:
    """Test the order of one file, which is written into `folder`.

    Returns:
        - `p`, `lead`: our test's p-value, and how much likelier the published order is than the
          mean permutation, in nats per item.
        - `t_test_p`, `truescore_p`: the p-values of the other two tests.
        - `refused`: whether the order carries meaning, so that no verdict would rest on it.
        - `text_length`: the median length of an item, in characters.
        - `n_layers`, `d_model`: the size of the model.
    """
    path = folder / "file.csv"
    rows = [(item.id, item.line.question, item.line.answer) for item in items]
    write_csv(pd.DataFrame(rows, columns=list(COLUMNS)), path)
    benchmark = Benchmark(path, tuple(items))

    orders = measure_orders(target, benchmark, [reordered], seed)
    (test,) = order_tests(orders, seed)

    # A row for each shard, a column for each order: the published one, and its permutations.
    table = orders.pivot_table(index="shard", columns="order", values="log_likelihood")
    published = table[PUBLISHED]
    permuted = table.drop(columns=PUBLISHED)
    leads = published - permuted.mean(axis=1)
    t_test = stats.ttest_1samp(leads, 0, alternative="greater")
    p_of_shards = []
    for shard in table.index:
        shard_test = exchangeability_test(published[shard], permuted.loc[shard])
        p_of_shards.append(shard_test.p_value)

    try:
        check_order(benchmark, [reordered])
        refused = False
    except UserError:
        refused = True
    return {
        "p": test.p,
        "lead": test.lead,
        "t_test_p": float(t_test.pvalue),
        "truescore_p": combine_shards(p_of_shards).p_value,
        "refused": refused,
        "text_length": median(len(item.line.text) for item in items),
        "n_layers": target.model.config.num_hidden_layers,
        "d_model": target.model.config.hidden_size,
    }


def training_texts(
    target: TokenisedModel,
    files: Mapping[Reordered, Sequence[Sequence[BenchmarkItem]]],
    corpus: Sequence[QuestionAnswer],
    generator: random.Random,
) -> list[list[int]]:
    """The texts that a twin reads, shuffled: each file `dose` times, and the filler."""
    start = target.text_ids([corpus[0]])[0][: target.n_start]
    texts: list[list[int]] = []
    for by_dose in files.values():
        for dose, items in zip(DOSES, by_dose, strict=True):
            ids = ids_of(target, [item.line for item in items])
            for _ in range(dose):
                texts += texts_of(ids, start, generator)

    filler = generator.sample(corpus, min(len(corpus), FILLER_LINES))
    choices = [item.line for item in choice_items(corpus, FILLER_CHOICES, generator)]
    texts += texts_of(ids_of(target, filler), start, generator)
    texts += texts_of(ids_of(target, choices), start, generator)
    generator.shuffle(texts)
    return texts


def rows_of(folder: Path, scratch: Path) -> Iterator[dict[str, object]]:
    """A row for each model and file of one base: base, model, reordered, dose, and `test_file`'s.

    `folder` has the clean base and what is planted; files are written into `scratch`. `model` is
    `base`, `twin`, or `sorted`: the twin on its unread file of questions in alphabetical order.
    `dose` is how often the model read the file.
    """
    seed = derive_seed(SEED, "order", folder.name)
    generator = random.Random(seed)  # noqa: S311
    tokenizer = load_tokenizer(folder / "C")
    lines = read_lines(folder / "planted", "A")
    # Only the questions: the corpus also has statements, whose question is empty.
    corpus = [line for line in lines if line.question.endswith(":")]

    # By what is reordered, a file for each dose.
    files: dict[Reordered, list[list[BenchmarkItem]]] = {
        "items": question_files(folder, generator),
        "options": [list(choice_items(corpus, CHOICE_ITEMS, generator)) for _ in DOSES],
    }

    # The clean base, until `train` makes it the twin, in place.
    model = load_model(folder / "C", torch.device("cpu"))
    target = TokenisedModel(model, tokenizer, TOKENS_PER_BATCH)
    texts = training_texts(target, files, corpus, generator)

    def row(
        name: str, reordered: Reordered, dose: int, items: Sequence[BenchmarkItem]
    ) -> dict[str, object]:
        named = {"base": folder.name, "model": name, "reordered": reordered, "dose": dose}
        return named | test_file(target, items, reordered, scratch, seed)

    # The file of dose 0 is left to the twin, which does not read it either.
    for reordered, by_dose in files.items():
        for items in by_dose[1:]:
            yield row("base", reordered, 0, items)

    torch.manual_seed(seed)
    train(model, texts)
    model.eval()
    for reordered, by_dose in files.items():
        for dose, items in zip(DOSES, by_dose, strict=True):
            yield row("twin", reordered, dose, items)
    by_alphabet = sorted(files["items"][0], key=lambda item: item.line.text)
    yield row("sorted", "items", 0, by_alphabet)


def rates(rows: pd.DataFrame) -> pd.DataFrame:
    """False alarms (dose 0) and power of the test, by what is reordered and dose.

    `rows` has the rows of `rows_of` for all bases. Returns the rows of a calibration
    (`mechaware.verdicts.error_rates`). `seen` is the share of files that are found, with its exact
    interval `low` and `high`; `lowest` and `highest` are the shares of single bases. Here a verdict
    rests on one order, of items or of options, so that its p-value needs no correction. A file that
    is refused before any model runs is not found.
    """
    calibration = []
    files = rows[rows["model"] != "sorted"]
    for (reordered, dose), cell in files.groupby(["reordered", "dose"], sort=False):
        found = (cell["p"] <= SIGNIFICANCE) & ~cell["refused"].astype(bool)
        n_found = int(found.sum())
        n = len(cell)
        interval = clopper_pearson(n_found, n)
        n_items = ITEMS if reordered == "items" else CHOICE_ITEMS
        procedure = order_procedure([str(reordered)], SIGNIFICANCE)
        by_base = found.groupby(cell["base"]).mean()
        calibration.append(
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
                "seen": n_found / n,
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
    return pd.DataFrame(calibration)


def main() -> None:
    """Measure the named bases, and after each write the rows of all files so far and the rates."""
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
