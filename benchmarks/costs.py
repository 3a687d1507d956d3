"""What the steps that compute cost as they grow: CPU seconds at several sizes, a line through them, and its error.

Run `.venv/bin/python -m benchmarks.costs` after `make results`, in the same folder and with the other cores idle. Each
size is the step's own command in a process of its own on one thread, measured once. The line's constant is what does
not grow with the size: the start of Python, the imports, the model and, by step, an evaluation or a first reading. The
line is fitted by least squares of the relative error, since the sizes lie far apart. The last line of a step has its
two numbers and the largest relative error at a measured size. Names of steps as arguments measure these alone.
"""

import csv
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml
from jaxtyping import Float

from benchmarks.result import print_result
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import PaperText, read_record
from mechaware.claims.trust.cost import CHARACTERS_A_TOKEN
from mechaware.models.registry import load_tokenizer
from mechaware.radar.feature_extraction.measurements import REDUCTIONS
from mechaware.radar.memorisation.items import CANARY_DOSE, CONDITIONS
from mechaware.radar.prompts import read_prompts

SMOLLM2 = Path("results/models/smollm2-135m-instruct")
TRAINED, BASE = Path("results/grounding/models/schema-s0"), Path("results/models/gpt-neo-sql")
DATA, PAIRS = Path("results/grounding/data"), Path("results/grounding/pairs.jsonl")
GGUF = Path("results/downloads/smollm2-135m-instruct.gguf")
PAPERS = [Path(f"results/claims/papers/planted-{number:02}") for number in range(1, 7)]
PROMPTS = Path("config/prompts/radar_test.csv")
RADAR = Path("results/radar/smollm2-135m-instruct")
JUDGE_PROMPTS = sorted(Path("config/judge_prompts").glob("*/*"))
CONFIG = yaml.safe_load(Path("config/config.yaml").read_text())
TOKENS_PER_BATCH = str(CONFIG["capture"]["tokens_per_batch"])
NEW_TOKENS = CONFIG["radar"]["answer_tokens"]
PERMUTATIONS = 9  # of the default run's 99: each costs the same
MAX_CLAIMS = JudgeSettings.max_claims
BATCH = CONFIG["grounding"]["training"]["batch_size"]


class Size(NamedTuple):
    """A size of a step, in its unit, and the command that does it, `{out}` standing for a folder of its own."""

    size: float
    command: Sequence[str | Path]


def repeated(prompts: Path, times: int, out: Path) -> Path:
    """The prompts several times over, with a number before each: no two are the same."""
    with prompts.open() as given, out.open("w") as written:
        rows = list(csv.DictReader(given))
        writer = csv.DictWriter(written, rows[0])
        writer.writeheader()
        for number in range(times):
            for row in rows:
                writer.writerow(row | {"id": f"{row['id']}-{number}", "prompt": f"{number}. {row['prompt']}"})
    return out


def tokens_in(prompts: Path) -> int:
    return sum(map(len, load_tokenizer(SMOLLM2)([row.prompt for row in read_prompts(prompts)]).input_ids))


def capture(folder: Path) -> Iterator[Size]:
    flags = ("--tokens-per-batch", TOKENS_PER_BATCH, "--shard-bytes", str(2**29), "--keep", "summaries")
    for times in (2, 4, 8, 16):
        prompts = repeated(PROMPTS, times, folder / f"{times}.csv")
        command = ("models.capture_activations", "--model", SMOLLM2, "--prompts", prompts, *flags, "--out", "{out}/a")
        yield Size(tokens_in(prompts), command)


def answers(folder: Path) -> Iterator[Size]:
    flags = ("--answer-tokens", str(NEW_TOKENS), "--tokens-per-batch", TOKENS_PER_BATCH)
    for times in (1, 2, 4):
        prompts = repeated(PROMPTS, times, folder / f"{times}.csv")
        generated = NEW_TOKENS * len(read_prompts(prompts))
        command = ("radar.answer_prompts", "--model", SMOLLM2, "--prompts", prompts, *flags, "--out", "{out}/a.csv")
        yield Size(generated, command)


def repeated_features(prompt_set: str, reduction: str, times: int, folder: Path) -> tuple[Path, Path]:
    """The prompts and features of a prompt set several times over: other items, near the first ones in all features."""

    def several(table: pd.DataFrame, *texts: str) -> pd.DataFrame:
        """With the number of the repetition before the texts."""
        copies = [table.assign(**{text: f"{n}-" + table[text] for text in texts}) for n in range(times)]
        return pd.concat(copies, ignore_index=True)

    texts, table = (folder / f"{prompt_set}-{times}.{ending}" for ending in ("csv", f"{reduction}.parquet"))
    prompts = pd.read_csv(f"config/prompts/{prompt_set}.csv", dtype=str, keep_default_na=False)
    several(prompts, "id", "prompt").to_csv(texts, index=False)
    features = several(pd.read_parquet(RADAR / f"features/{prompt_set}.{reduction}.parquet"), "id")
    moved = features.select_dtypes("floating").columns
    features[moved] *= np.random.default_rng(0).normal(1, 0.01, features[moved].shape)
    features.to_parquet(table)
    return texts, table


def controls(folder: Path) -> Iterator[Size]:
    for times in (1, 2, 4):
        made = [repeated_features("radar_test", reduction, times, folder) for reduction in REDUCTIONS]
        training = [RADAR / f"features/radar_train.{reduction}.parquet" for reduction in REDUCTIONS]
        command = (
            *("radar.evaluate_controls", "--training", *training, "--features", *(features for _, features in made)),
            *("--training-prompts", "config/prompts/radar_train.csv", "--prompts", made[0][0]),
            *("--folds", str(CONFIG["radar"]["folds"]), "--seed", "0", "--fold-seed", "0"),
            *("--spread-seeds", str(CONFIG["radar"]["spread_seeds"]), "--spread-seed", "0"),
            *("--predictions", "{out}/predictions.csv", "--spread", "{out}/spread.csv"),
        )
        yield Size(len(read_prompts(made[0][0])), command)


def permutations(folder: Path) -> Iterator[Size]:
    """Prompts in matched pairs, on which each permutation fits the ensemble anew in each fold."""
    for times in (1, 2, 4, 8):
        prompts, features = repeated_features("radar_matched", "sum", times, folder)
        command = (
            *("radar.permute_labels", "--model", "smollm2", "--prompt-set", "radar_matched", "--features", features),
            *("--prompts", prompts, "--folds", str(CONFIG["radar"]["folds"]), "--permutations", str(PERMUTATIONS)),
            *("--seed", "0", "--out", "{out}/permutations.csv"),
        )
        yield Size(PERMUTATIONS * len(read_prompts(prompts)), command)


def plant(folder: Path, items_per_cell: int, base_lines: int) -> Path:
    """The folder of planted items and corpora."""
    given, planted = CONFIG["radar"]["memorisation"], folder / f"planted-{items_per_cell}-{base_lines}"
    forms, doses = zip(*CONDITIONS, strict=True)
    twin_lines = given["twins"]["steps"] * given["twins"]["batch_size"]
    run_one(
        (
            *("radar.plant_items", "--items-per-cell", str(items_per_cell), "--forms", *forms),
            *("--doses", *map(str, doses), "--canary-dose", str(CANARY_DOSE)),
            *("--kind-prompts", str(given["kind_prompts"]), "--fresh-questions", str(given["fresh_questions"])),
            *("--base-lines", str(base_lines), "--twin-lines", str(twin_lines), "--seed", "0"),
            *("--out", planted, "--truth", folder / f"{planted.name}.csv"),
        )
    )
    return planted


def clean_base(folder: Path) -> Iterator[Size]:
    base = CONFIG["radar"]["memorisation"]["base"]
    shape = ("n_layers", "d_model", "n_heads", "vocabulary", "context_length")
    recipe = ("batch_size", "learning_rate", "warmup_steps", "weight_decay")
    flags = [word for name in (*shape, *recipe) for word in (f"--{name.replace('_', '-')}", str(base[name]))]
    for steps in (50, 100, 200):
        lines = steps * base["batch_size"]
        command = ("radar.train_base", "--planted", plant(folder, 1, lines), *flags)
        yield Size(lines, (*command, "--least-answered", "0", "--seed", "0", "--out", "{out}/C"))


def evidence(folder: Path) -> Iterator[Size]:
    """What all detectors read of one twin, of seen and unseen items; 32 of them with ablation and patching."""
    given, seed = CONFIG["radar"]["memorisation"], Path("results/radar/memorisation/s0")
    for per_cell in (3, 6, 11):
        planted = plant(folder, per_cell, given["base"]["steps"] * given["base"]["batch_size"])
        n_items = len((planted / "items.jsonl").read_text().splitlines())
        command = (
            *("radar.measure_twin", "--twin", seed / "A", "--base", seed / "C", "--planted", planted),
            *("--reduction", CONFIG["radar"]["attention_entropy_reduction"]),
            *("--specialised-head-entropy", str(CONFIG["radar"]["specialised_head_entropy"])),
            *("--samples", str(CONFIG["radar"]["detector_samples"]), "--causal-items", "8"),
            *("--tokens-per-batch", str(given["tokens_per_batch"]), "--device", "cpu", "--seed", "0"),
            *("--evidence", "{out}/evidence", "--answers", "{out}/answers.csv"),
            *("--canaries", "{out}/canaries.csv", "--causal", "{out}/causal.parquet"),
        )
        yield Size(n_items, command)


def measured_pairs(model: Path, per_category: int) -> tuple[str | Path, ...]:
    names = ("patching", "cuts", "answers", "thirds", "residual-map")
    outputs = (word for name in names for word in (f"--{name}", f"{{out}}/{name}.parquet"))
    return (
        *("grounding.measure_pairs", "--model", model, "--pairs", PAIRS, "--training", DATA / "train.jsonl"),
        *("--measured-run", "m", "--examples", "0", "--examples-seed", "0", "--per-category", str(per_category)),
        *("--modes", "denoise", "noise", "--most-blocks", "4", "--mapped-per-category", "2"),
        *("--tokens-per-batch", str(CONFIG["grounding"]["tokens_per_batch"]), "--device", "cpu", *outputs),
    )


def pairs(_: Path) -> Iterator[Size]:
    for per_category in (2, 5, 10, 20):
        yield Size(5 * per_category, measured_pairs(TRAINED, per_category))


def layers(folder: Path) -> Iterator[Size]:
    """Models with random weights, of as many passes for each pair as they have layers, each through all layers."""
    data = CONFIG["grounding"]["data"]
    for n_layers in (2, 4, 8, 16):
        model = folder / f"layers-{n_layers}"
        run_one(
            (
                *("grounding.initialise_model", "--training", DATA / "train.jsonl"),
                *("--vocabulary", "config/sql/vocabulary.yaml", "--tables", str(data["tables"])),
                *("--fields", str(data["fields"]), "--name", "layers", "--n-layers", str(n_layers), "--d-model", "64"),
                *("--n-heads", "4", "--context-length", "256", "--seed", "0", "--out", model),
            )
        )
        yield Size(25 * n_layers**2, measured_pairs(model, 5))


def training(_: Path) -> Iterator[Size]:
    for steps in (50, 100, 200, 400):
        yield Size(
            steps * BATCH,
            (
                *("grounding.train_model", "--base", BASE, "--training", DATA / "train.jsonl"),
                *("--held-out", DATA / "valid.jsonl", "--condition", "schema", "--steps", str(steps)),
                *("--batch-size", str(BATCH), "--learning-rate", "0.001", "--warmup-steps", "5"),
                *("--weight-decay", "0.01", "--evaluate-every", str(steps), "--seed", "0", "--device", "cpu"),
                *("--checkpoints", "{out}/checkpoints", "--out", "{out}/model"),
            ),
        )


def judged(paper: Path, runs: int, *settings: str | Path) -> tuple[str | Path, ...]:
    return (
        *("claims.extract_claims", "--text", paper / "text.txt", "--flags", paper / "flags.json"),
        *("--prompts", *JUDGE_PROMPTS, *settings, "--claims-found", CONFIG["claims"]["claims_found"]),
        *("--responses", "{out}/responses", "--out", *(f"{{out}}/run-{run}.json" for run in range(runs))),
    )


def lexical(folder: Path) -> Iterator[Size]:
    """Several planted papers as one text."""
    for number in (1, 2, 4, 6):
        paper = folder / f"papers-{number}"
        paper.mkdir()
        text = "\n".join((one / "text.txt").read_text() for one in PAPERS[:number])
        (paper / "text.txt").write_text(text)
        (paper / "flags.json").write_text((PAPERS[0] / "flags.json").read_text())
        settings = ("--weights", "--settings.name", "lexical", "--settings.kind", "lexical")
        yield Size(3 * len(text) / 1000, judged(paper, 3, *settings))


def embedded(_: Path) -> Iterator[Size]:
    entry = yaml.safe_load(Path("config/judges.yaml").read_text())["smollm2"]
    given = [word for key, value in entry.items() if key != "label" for word in (f"--settings.{key}", str(value))]
    for runs in (1, 2, 4, 8):
        yield Size(runs, judged(PAPERS[0], runs, "--weights", GGUF, "--settings.name", "smollm2", *given))


# Unit of each step's size, and its sizes.
STEPS = {
    "RADAR, capture": ("tokens", capture),
    "RADAR, answers": ("new tokens", answers),
    "RADAR, controls and seeds": ("prompts", controls),
    "RADAR, permutations": ("prompts x permutations", permutations),
    "memorisation, clean base": ("lines", clean_base),
    "memorisation, evidence of a twin": ("items", evidence),
    "grounding, training": ("rows", training),
    "grounding, measuring": ("pairs", pairs),
    "grounding, measuring by depth": ("pairs x layers x layers", layers),
    "claims, lexical judge": ("runs x 1,000 characters", lexical),
    "claims, embedded judge": ("runs of a paper", embedded),
}


def run_one(command: Sequence[str | Path]) -> float:
    """Run a command of `scripts` on one thread; its CPU seconds and those of the processes that it started."""
    module, *arguments = map(str, command)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": str(Path.cwd())}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.{module}", *arguments], env=environment, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{module}\n{done.stderr[-3000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def line(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float, float]:
    """Constant and slope of the line with the smallest relative errors, and the largest of these at a size."""
    measured: Float[np.ndarray, " size"] = np.array(seconds)
    columns = np.stack([np.ones(len(sizes)), np.array(sizes)], axis=1) / measured[:, None]
    (constant, slope), *_ = np.linalg.lstsq(columns, np.ones(len(sizes)), rcond=None)
    error = np.abs((constant + slope * np.array(sizes)) / measured - 1).max()
    return float(constant), float(slope), float(error)


def provider_tokens() -> Iterator[tuple[int, int]]:
    """Of each paper the tokens of its text and of the prompt that asks a provider's model for all of its claims."""
    prompts = Prompts.load(JUDGE_PROMPTS)
    for paper in PAPERS:
        text = (paper / "text.txt").read_text()
        messages = prompts.extract_all(text, read_record(PaperText, paper / "flags.json").flags, MAX_CLAIMS)
        asked = sum(len(message["content"]) for message in messages)
        yield len(text) // CHARACTERS_A_TOKEN, asked // CHARACTERS_A_TOKEN


def main() -> None:
    lines = []
    for name in sys.argv[1:] or STEPS:
        unit, sizes_in = STEPS[name]
        measured = []
        with TemporaryDirectory() as folder:
            for number, (size, command) in enumerate(sizes_in(Path(folder))):
                out = Path(folder) / f"out-{number}"
                out.mkdir()
                filled = [str(word).replace("{out}", str(out)) for word in command]
                measured.append((size, run_one(filled)))
                print(f"{name}: {size:,.0f} {unit}, {measured[-1][1]:.2f} s", flush=True)
        constant, slope, error = line(*zip(*measured, strict=True))
        print(f"{name}: {constant:.2f} s + {1000 * slope:.4g} ms for each of {unit}, within {error:.1%}\n", flush=True)
        lines.append({"step": name, "unit": unit, "constant_s": constant, "slope_s": slope, "error": error})
    texts, asked = map(np.array, zip(*provider_tokens(), strict=True))
    print(f"claims, a provider: prompts are the paper and {asked.min() - texts.min():,} tokens or so of instructions")
    print(np.stack([texts, asked], axis=1))
    print_result("costs", cases=lines)


if __name__ == "__main__":
    main()
