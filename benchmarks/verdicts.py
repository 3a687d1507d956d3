"""Verdicts on planted benchmarks: ours compared with contamcheck, benchleak and memaudit, on the
same cases.

Run `.venv/bin/python -m benchmarks.verdicts` after `make results`, which makes the twins, and after
`.venv/bin/pip install --no-deps contamcheck==0.1.0 benchleak==0.4.0 memaudit==0.2.0`, which are in
no lock file. The cases are those of `calibration.csv` and `natural/calibration.csv`: invented names
or docstrings that a twin read at a dose, or did not read, and a control of unseen ones. Each plant
has a table of the share of cases that a verdict flags: false alarms at dose 0, power elsewhere.

`docs/measured/verdict_rivals.csv` is of the twins of the development seeds alone: in a clean clone,
`make verdict-detector` makes them, and `python -m benchmarks.verdicts --out
docs/measured/verdict_rivals.csv` asks.

- ours: "seen", by the loss and a reference model, or by the loss alone; "confounded" cases count as
  not flagged. The same two scores by means in place of ranks (Welch's one-sided t-test, alone) tell
  the test's part from the detector's.
- contamcheck: its Min-K% test with the same control and reference; its command refuses items of
  fewer than 8 words and fewer than 20 items, and its completion test needs numbers, which no item
  has.
- benchleak: Min-K% against the control, or against its bundled texts, as without `--reference`; and
  SPV-MIA, for fine-tuned models, by swapped words. Its T5 paraphrases need the internet.
- memaudit: records against held-out records, with the same reference, as its command reads them or
  behind the start token that twins are trained with. It prints a p-value and no verdict: flagged
  below our level.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import yaml
from scipy import stats
from tqdm import tqdm

from benchmarks.result import print_result
from exhibits.report.origin import origin_today
from mechaware.core.frames import write_csv
from mechaware.core.provenance import git_state
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
SEED = derive_seed(
    yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))["seed"],
    "calibrate_verdict",
)
OURS = {"ours": ["loss", "reference"], "ours, loss": ["loss"]}
BY_MEANS = {"loss, by means": "loss", "reference, by means": "reference"}
DRAWS = 5  # of a cell and twin
SIGNIFICANCE = 0.05  # of our verdict and of memaudit's p-value
DOCSTRINGS = "docstrings of installed packages"
Rows = np.ndarray  # of a twin's texts


def main() -> None:
    """Judge the cases of both plants, and print and perhaps write the shares that are flagged."""
    parser = argparse.ArgumentParser(description="Verdicts on planted benchmarks, by peers.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the planted twins of a run")
    parser.add_argument("--out", type=Path, help="a CSV file for the tables")
    flags = parser.parse_args()

    tables = []
    for text, plant in ((PLANTED_TEXT, flags.folder), (DOCSTRINGS, flags.folder / "natural")):
        twins = planted_twins(plant)
        judged = [judge_twin(plant, model) for model in tqdm(twins, unit="twin", leave=False)]
        tables.append(report(text, pd.concat(judged), twins))

    table = pd.concat(tables, ignore_index=True)
    if flags.out is not None:
        command = f"make verdict-detector; python -m benchmarks.verdicts --out {flags.out}"
        origin = origin_today(git_state(), flags.out.name, command)
        write_csv(table.assign(**origin._asdict()), flags.out)
    print_result("verdicts", cells=table.round(3).to_dict("records"))


def planted_twins(plant: Path) -> list[PlantedModel]:
    """All twins of a plant, as the workflow calibrates with them."""
    scores = sorted(plant.glob("s*/scores.parquet"), key=lambda path: int(path.parent.name[1:]))
    seeds = [int(path.parent.name[1:]) for path in scores]
    evidence = [path.parent / f"evidence/{twin}.parquet" for path in scores for twin in TWINS]
    return read_planted_models(seeds, scores, evidence)


def report(text: str, cases: pd.DataFrame, twins: list[PlantedModel]) -> pd.DataFrame:
    """Print the share of cases that each verdict flags, by cell,
    and return it with the numbers of twins and cases.
    """
    cell = list(Cell._fields)
    shares = cases.groupby(cell).mean()
    n_cases = len(cases) // len(shares)
    texts = {item for model in twins for item in model.evidence.texts}
    readable = sum(split_question(item) is not None for item in texts)
    print(text)
    print(shares.map("{:.0%}".format).to_string())
    print(f"{len(twins)} twins, {n_cases} cases a cell")
    print(f"contamcheck's command reads {readable} of {len(texts)} items")

    table = shares.reset_index()
    table.insert(0, "text", text)
    table.insert(1 + len(cell), "twins", len(twins))
    table.insert(2 + len(cell), "cases", n_cases)
    return table


def judge_twin(plant: Path, model: PlantedModel) -> pd.DataFrame:
    """A row per case: its cell, and who flags it."""
    judge = peers(plant / model.name, model)
    cases = []
    for cell in compared_cells(model):
        for seed, rows in draw_cases(model, cell, draws=DRAWS, seed=SEED):
            statuses = draw_statuses(
                model, rows, cell.n_items, list(OURS.values()), significance=SIGNIFICANCE, seed=seed
            )
            items = rows[: cell.n_items]
            control = rows[cell.n_items :]
            ours = {name: status == "seen" for name, status in zip(OURS, statuses, strict=True)}
            ours["ours confounded"] = statuses[0] == "confounded"
            for name, detector in BY_MEANS.items():
                ours[name] = by_means(model.rows[detector].to_numpy(float), items, control)
            cases.append(cell._asdict() | ours | judge(items, control))
    return pd.DataFrame(cases)


def by_means(scores: np.ndarray, items: Rows, control: Rows) -> bool:
    """Whether the items have a higher mean score than the control, by Welch's one-sided t-test."""
    test = stats.ttest_ind(scores[items], scores[control], equal_var=False, alternative="greater")
    return bool(test.pvalue <= SIGNIFICANCE)


def compared_cells(model: PlantedModel) -> list[Cell]:
    """Unseen, all seen, and a tenth seen."""
    is_verbatim = model.rows["seen"] & (model.rows["form"] == VERBATIM)
    n_by_dose = model.rows[is_verbatim].groupby("dose").size()
    doses = [int(dose) for dose in n_by_dose.index]
    all_cells = cells(int(n_by_dose.iloc[0]), doses)
    return [cell for cell in all_cells if 2 * cell.n_seen != cell.n_items]  # without half seen


def peers(folder: Path, model: PlantedModel) -> Callable[[Rows, Rows], dict[str, bool]]:
    """What each peer says of a benchmark and its control, by the rows of both; items are scored
    once a twin.

    `folder` has the twin's weights, and the folder above it those of the base, `C`.
    """
    texts = model.evidence.texts
    twin, tokenizer = load_model(str(folder))
    base, _ = load_model(str(folder.parent / "C"))

    # contamcheck and memaudit compare a text's score under the twin with that under the base.
    min_k_leads = []
    audits = []
    audit = MinKPlusPlusScorer()
    references = required(model.evidence.reference)
    for of_twin, of_base in zip(model.evidence.scores, references, strict=True):
        min_k_leads.append(min_k_score(of_twin.log_probs) - min_k_score(of_base.log_probs))
        audits.append(audit.score(signals(of_twin), signals(of_base)))
    min_k = np.array(min_k_leads)
    audited = np.array(audits)

    # memaudit's command reads a text without the start token.
    audits_without_start = []
    for text in texts:
        tokens, *_ = locate_secret_span(tokenizer, text, text)
        read_by_twin = extract_token_signals(twin, tokens)
        read_by_base = extract_token_signals(base, tokens)
        audits_without_start.append(audit.score(read_by_twin, read_by_base))
    audited_without_start = np.array(audits_without_start)

    pretrain = MinKProbDetector(twin, tokenizer)
    probability = np.array(pretrain.score_batch(texts))
    bundled = pretrain.score_batch(load_reference())
    sft = ProbVariationDetector(twin, tokenizer, WordSwapPerturber())
    variation = np.array(sft.score_batch(texts))

    def judge(items: Rows, control: Rows) -> dict[str, bool]:
        contamcheck = compare("min-k", "", min_k[items], min_k[control], paired=False).status
        return {
            "contamcheck": contamcheck == FAIL,
            "contamcheck, or warns": contamcheck != PASS,
            "benchleak": benchleak(probability[items], probability[control]),
            "benchleak, bundled": benchleak(probability[items], bundled),
            "benchleak, SFT": benchleak(variation[items], variation[control]),
            "memaudit": memaudit(audited_without_start[items], audited_without_start[control]),
            "memaudit, start token": memaudit(audited[items], audited[control]),
        }

    return judge


def signals(scores: TokenScores) -> TokenSignals:
    """What memaudit reads of a text's tokens, from our scores."""
    is_best = scores.log_probs >= scores.best
    return TokenSignals(scores.log_probs, scores.means, scores.deviations, is_best)


def memaudit(items: np.ndarray, control: np.ndarray) -> bool:
    """Whether memaudit's p-value for these scores is below our level."""
    return bool(welch_ttest(items, control)["p_value"] < SIGNIFICANCE)


def benchleak(items: np.ndarray, reference: Sequence[float] | np.ndarray) -> bool:
    """Benchleak's verdict on these scores."""
    auc, p = compare_distributions(list(items), list(reference))
    return ContaminationResult("", "", list(items), list(reference), auc, p).contaminated


if __name__ == "__main__":
    torch.set_num_threads(1)  # short passes
    main()
