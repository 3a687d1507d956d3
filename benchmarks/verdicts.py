"""Compare our verdicts on planted benchmarks with contamcheck's, benchleak's and memaudit's.

Run `.venv/bin/python -m benchmarks.verdicts` after `make results`, which makes the planted twins,
and after `.venv/bin/pip install --no-deps contamcheck==0.1.0 benchleak==0.4.0 memaudit==0.2.0`,
which are in no lock file.

The twins, A and B, are two models that were trained on planted items: one twin read an item as
often as its dose, and the other never. There are two plants, questions about invented names and
docstrings. A case is a benchmark of items of one plant and a control of as many items that the twin
did not read. The cases are drawn as for `calibration.csv` and `natural/calibration.csv`, the error
rates of our verdicts. A cell is a kind of benchmark: the dose, the number of items, and how many of
them the twin read. For each plant, a table has the share of each cell's cases that each verdict
flags as contaminated: the rate of false alarms at dose 0, the power at other doses.

`docs/measured/verdict_rivals.csv` was measured on the twins of the development seeds alone. To
renew it, run in a clean clone `make verdict-detector`, which makes these twins, and then
`python -m benchmarks.verdicts --out docs/measured/verdict_rivals.csv`.

- ours: flagged if "seen", by the loss and a reference model, or by the loss alone. "confounded"
  cases count as not flagged. Our tests compare ranks; "by means" compares the same two scores by
  Welch's one-sided t-test and nothing else, to show how much the choice of the test matters.
- contamcheck: its Min-K% test with our control and reference model, called as a function: its
  command refuses items of fewer than 8 words and fewer than 20 items. Its completion test is left
  out: it needs numbers, which no item has.
- benchleak: its Min-K% test against our control ("benchleak"), and against the texts that come with
  it, which its command uses without `--reference` ("bundled"); and its SPV-MIA test for fine-tuned
  models ("SFT"). SPV-MIA paraphrases by swapped words here, since its T5 paraphrases need the
  internet.
- memaudit: its Min-K%++ test of records against held-out records, with our reference model. Its
  command reads a text without a start token ("memaudit"); the twins are trained with one ("start
  token"). It prints a p-value and no verdict, so a case is flagged if p is below our level.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
import yaml
from scipy import stats
from tqdm import tqdm

from benchmarks.result import print_result
from exhibits.report.origin import origin_today
from mechaware.core.frames import write_csv
from mechaware.core.git_repository import git_state
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.detectors.detector import required
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.items import TWINS, VERBATIM
from mechaware.verdicts.planted_texts import read_planted_models
from mechaware.verdicts.seen_calibration import (
    PLANTED_TEXT,
    Cell,
    PlantedModel,
    cells,
    draw_cases,
    draw_statuses,
)

try:
    from benchleak.core import ContaminationResult, compare_distributions
    from benchleak.data import load_reference
    from benchleak.detectors.perturb import WordSwapPerturber
    from benchleak.detectors.pretrain import MinKProbDetector
    from benchleak.detectors.sft import ProbVariationDetector
    from benchleak.loading import load_model
    from contamcheck.checks import FAIL, PASS, compare, min_k_score, split_question
    from memaudit.scorers import MinKPlusPlusScorer, TokenSignals
    from memaudit.scoring import extract_token_signals, locate_secret_span
    from memaudit.stats import welch_ttest
except ModuleNotFoundError as missing:
    raise SystemExit(
        f"benchmarks/verdicts.py: {missing}; its docstring has the line that installs the peers"
    ) from None

FOLDER = Path("results/radar/memorisation")
CONFIG = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
SEED = derive_seed(CONFIG["seed"], "calibrate_verdict")
# Our verdicts, by column of the table: the detectors that decide together.
OURS = {"ours": ["loss", "reference"], "ours, loss": ["loss"]}
# Our scores compared by means, by column of the table: the detector.
BY_MEANS = {"loss, by means": "loss", "reference, by means": "reference"}
# Cases of each cell and twin.
DRAWS = 5
# The level of our verdicts and of tests that give a p-value alone.
SIGNIFICANCE = 0.05
DOCSTRINGS = "docstrings of installed packages"
# Indices of a twin's texts.
Rows = np.ndarray


def main() -> None:
    """Judge the cases of both plants, print the shares that are flagged, and write them to
    `--out` if it is given.
    """
    parser = argparse.ArgumentParser(description="Verdicts on planted benchmarks, by peers.")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="the folder of the planted twins of a run"
    )
    parser.add_argument("--out", type=Path, help="a CSV file for the tables")
    arguments = parser.parse_args()

    tables = []
    folders = {PLANTED_TEXT: arguments.folder, DOCSTRINGS: arguments.folder / "natural"}
    for text, folder in folders.items():
        twins = planted_twins(folder)
        judged = [judge_twin(folder, twin) for twin in tqdm(twins, unit="twin", leave=False)]
        flagged = pd.concat(judged)
        table = flagged_shares(text, flagged, len(twins))
        print_shares(text, table, twins)
        tables.append(table)

    both_plants = pd.concat(tables, ignore_index=True)
    if arguments.out is not None:
        command = f"make verdict-detector; python -m benchmarks.verdicts --out {arguments.out}"
        origin = origin_today(git_state(), arguments.out.name, command)
        write_csv(both_plants.assign(**origin._asdict()), arguments.out)
    print_result("verdicts", cells=both_plants.round(3).to_dict("records"))


def planted_twins(folder: Path) -> list[PlantedModel]:
    """All twins of the plant in a folder, as the workflow calibrates with them."""
    # s0/scores.parquet, s1/scores.parquet and so on, in the order of the seeds.
    scores = sorted(folder.glob("s*/scores.parquet"), key=seed_of)
    seeds = [seed_of(path) for path in scores]
    evidence = [path.parent / f"evidence/{twin}.parquet" for path in scores for twin in TWINS]
    return read_planted_models(seeds, scores, evidence)


def seed_of(scores: Path) -> int:
    """The seed of a file of scores: 12 for s12/scores.parquet."""
    return int(scores.parent.name.removeprefix("s"))


def flagged_shares(text: str, flagged: pd.DataFrame, n_twins: int) -> pd.DataFrame:
    """The share of cases that each verdict flags, a row per cell.

    Columns: text, the kind of text; the fields of `Cell`; twins and cases, their numbers; and the
    columns of the verdicts.
    """
    cell_columns = list(Cell._fields)
    shares = flagged.groupby(cell_columns).mean()
    # Every cell has equally many cases.
    n_cases = len(flagged) // len(shares)

    table = shares.reset_index()
    table.insert(0, "text", text)
    table.insert(1 + len(cell_columns), "twins", n_twins)
    table.insert(2 + len(cell_columns), "cases", n_cases)
    return table


def print_shares(text: str, table: pd.DataFrame, twins: Sequence[PlantedModel]) -> None:
    """Print a table of `flagged_shares` in percent, and how many items contamcheck's command can
    read.

    `text` is the kind of text; `twins` are those of the table.
    """
    shares = table.drop(columns=["text", "twins", "cases"]).set_index(list(Cell._fields))
    items = {item for twin in twins for item in twin.evidence.texts}
    n_readable = sum(split_question(item) is not None for item in items)
    print(text)
    print(shares.map("{:.0%}".format).to_string())
    print(f"{len(twins)} twins, {table['cases'].iloc[0]} cases a cell")
    print(f"contamcheck's command reads {n_readable} of {len(items)} items")


def judge_twin(folder: Path, twin: PlantedModel) -> pd.DataFrame:
    """Which verdicts flag the cases of a twin, whose plant is in `folder`.

    A row per case. Columns: the fields of `Cell`; for each verdict, whether it flags the case; and
    "ours confounded", whether our verdict is "confounded".
    """
    scores = peer_scores(folder / twin.name, twin)
    cases = []
    for cell in compared_cells(twin):
        for case_seed, rows in draw_cases(twin, cell, draws=DRAWS, seed=SEED):
            statuses = draw_statuses(
                twin,
                rows,
                cell.n_items,
                list(OURS.values()),
                significance=SIGNIFICANCE,
                seed=case_seed,
            )
            # The rows of the benchmark come before those of the control.
            items = rows[: cell.n_items]
            control = rows[cell.n_items :]

            flags = {name: status == "seen" for name, status in zip(OURS, statuses, strict=True)}
            flags["ours confounded"] = statuses[0] == "confounded"
            for name, detector in BY_MEANS.items():
                flags[name] = by_means(twin.rows[detector].to_numpy(float), items, control)
            cases.append(cell._asdict() | flags | peer_flags(scores, items, control))
    return pd.DataFrame(cases)


def by_means(scores: np.ndarray, items: Rows, control: Rows) -> bool:
    """Whether the items' mean score is significantly above the control's, by Welch's one-sided
    t-test.

    `scores` has a score for each text of the twin.
    """
    test = stats.ttest_ind(scores[items], scores[control], equal_var=False, alternative="greater")
    return bool(test.pvalue <= SIGNIFICANCE)


def compared_cells(twin: PlantedModel) -> list[Cell]:
    """The cells of a calibration in which the twin read none, all or a tenth of the items, and not
    those in which it read a half.
    """
    is_verbatim = twin.rows["seen"] & (twin.rows["form"] == VERBATIM)
    n_by_dose = twin.rows[is_verbatim].groupby("dose").size()
    doses = [int(dose) for dose in n_by_dose.index]
    # A twin reads equally many items at each dose.
    per_dose = int(n_by_dose.iloc[0])
    return [cell for cell in cells(per_dose, doses) if 2 * cell.n_seen != cell.n_items]


class PeerScores(NamedTuple):
    """The peers' scores of a twin's texts, one for each text; `bundled` scores other texts.

    - `min_k_lead`: contamcheck's Min-K% score under the twin minus that under the base.
    - `audit`, `audit_without_start`: memaudit's score by Min-K%++ under the twin and the base, of
      the text with and without a start token.
    - `min_k`: benchleak's Min-K% score.
    - `bundled`: benchleak's Min-K% scores of the reference texts that come with it.
    - `variation`: benchleak's SPV-MIA score.
    """

    min_k_lead: np.ndarray
    audit: np.ndarray
    audit_without_start: np.ndarray
    min_k: np.ndarray
    bundled: np.ndarray
    variation: np.ndarray


def peer_scores(folder: Path, model: PlantedModel) -> PeerScores:
    """Score all texts of a twin by each peer.

    `folder` has the twin's weights. The folder above it has those of the base, `C`, which is the
    reference model.
    """
    texts = model.evidence.texts
    twin, tokenizer = load_model(str(folder))
    base, _ = load_model(str(folder.parent / "C"))

    # contamcheck and memaudit compare a text's score under the twin with that under the base.
    min_k_leads = []
    audits = []
    scorer = MinKPlusPlusScorer()
    references = required(model.evidence.reference)
    for by_twin, by_base in zip(model.evidence.scores, references, strict=True):
        min_k_leads.append(min_k_score(by_twin.log_probs) - min_k_score(by_base.log_probs))
        audits.append(scorer.score(signals(by_twin), signals(by_base)))

    # memaudit's command reads a text without the start token.
    audits_without_start = []
    for text in texts:
        tokens, *_ = locate_secret_span(tokenizer, text, text)
        twin_signals = extract_token_signals(twin, tokens)
        base_signals = extract_token_signals(base, tokens)
        audits_without_start.append(scorer.score(twin_signals, base_signals))

    pretrain = MinKProbDetector(twin, tokenizer)
    sft = ProbVariationDetector(twin, tokenizer, WordSwapPerturber())
    return PeerScores(
        min_k_lead=np.array(min_k_leads),
        audit=np.array(audits),
        audit_without_start=np.array(audits_without_start),
        min_k=np.array(pretrain.score_batch(texts)),
        bundled=np.array(pretrain.score_batch(load_reference())),
        variation=np.array(sft.score_batch(texts)),
    )


def peer_flags(scores: PeerScores, items: Rows, control: Rows) -> dict[str, bool]:
    """Whether each peer flags a benchmark, by column of the table."""
    min_k_lead = scores.min_k_lead
    contamcheck = compare("min-k", "", min_k_lead[items], min_k_lead[control], paired=False)
    without_start = scores.audit_without_start
    return {
        "contamcheck": contamcheck.status == FAIL,
        "contamcheck, or warns": contamcheck.status != PASS,
        "benchleak": flagged_by_benchleak(scores.min_k[items], scores.min_k[control]),
        "benchleak, bundled": flagged_by_benchleak(scores.min_k[items], scores.bundled),
        "benchleak, SFT": flagged_by_benchleak(scores.variation[items], scores.variation[control]),
        "memaudit": flagged_by_memaudit(without_start[items], without_start[control]),
        "memaudit, start token": flagged_by_memaudit(scores.audit[items], scores.audit[control]),
    }


def signals(scores: TokenScores) -> TokenSignals:
    """Our scores of a text's tokens in the form that memaudit reads.

    The last field is true for a token if no other token is more probable there; a tie counts.
    """
    is_best = scores.log_probs >= scores.best
    return TokenSignals(scores.log_probs, scores.means, scores.deviations, is_best)


def flagged_by_memaudit(items: np.ndarray, control: np.ndarray) -> bool:
    """Whether memaudit's p-value for these scores is below our level."""
    return bool(welch_ttest(items, control)["p_value"] < SIGNIFICANCE)


def flagged_by_benchleak(items: np.ndarray, reference: np.ndarray) -> bool:
    """Whether benchleak calls the items contaminated, by their scores and the reference texts'."""
    auc, p = compare_distributions(list(items), list(reference))
    return ContaminationResult("", "", list(items), list(reference), auc, p).contaminated


if __name__ == "__main__":
    # One thread is enough for short passes.
    torch.set_num_threads(1)
    main()
