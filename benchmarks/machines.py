"""How far the study's numbers move with the number of threads and the instruction set, which differ between machines.

Run `.venv/bin/python -m benchmarks.machines` after `make results`, which makes the model. Each setting is a process of
its own: activations and RADAR's features of ten prompts by SmolLM2-135M, and 50 steps of training of the grounding
study's model. docs/reproducibility.md has the results.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from safetensors.numpy import load_file

from benchmarks.result import print_result
from mechaware.instruments.grounding.data.rows import prompt_of, write_rows
from mechaware.instruments.grounding.names import HISTORY
from mechaware.instruments.radar.feature_extraction.features import FEATURES, summary_table
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.activations import save_shard, split_prompts, summarise
from mechaware.models.capture import capture
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.tokenisation.token_ids import token_ids
from mechaware.models.tokenizers import make_word_tokenizer
from mechaware.planted.sql.generation import generate_rows, read_vocabulary
from mechaware.planted.sql.training import Recipe, train

MODEL = Path("results/models/smollm2-135m-instruct")
PROMPTS = Path("config/prompts/radar_matched.csv")
ONE = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
TWO = {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
SETTINGS = {
    "one thread": ONE,
    "one thread, again": ONE,
    "one thread, no AVX in PyTorch": ONE | {"ATEN_CPU_CAPABILITY": "default"},
    "one thread, no AVX in PyTorch and MKL": ONE
    | {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"},
    "two threads": TWO,
}
RECIPE = Recipe(
    steps=50,
    batch_size=64,
    learning_rate=0.002,
    warmup_steps=10,
    weight_decay=0.01,
    evaluate_every=50,
    seed=0,
)


def measure(out: Path) -> None:
    """Write activations, features and a trained model into the folder `out`, under the settings of this process."""
    prompts = read_prompts(PROMPTS)[:10]
    tokenizer = load_tokenizer(MODEL)
    ids = token_ids(
        tokenizer, [prompt.prompt for prompt in prompts], read_manifest(MODEL).vocab_size
    )
    activations = capture(load_model(MODEL, torch.device("cpu")), ids, tokens_per_batch=768)
    save_shard(
        activations._asdict(),
        out / "activations.safetensors",
        prompt_ids=[prompt.id for prompt in prompts],
        description={},
    )
    features = summary_table(
        map(summarise, split_prompts(activations)), reduction="sum", specialised_head_entropy=1.5
    )
    features.to_parquet(out / "features.parquet")

    vocabulary = read_vocabulary(Path("config/sql/vocabulary.yaml"), tables=30, fields=60)
    rows = generate_rows(
        vocabulary,
        1200,
        max_columns=3,
        table_synonym_probability=0.8,
        field_synonym_probability=0.5,
        seed=0,
    )
    write_rows(rows[:1000], out / "train.jsonl")
    write_rows(rows[1000:], out / "valid.jsonl")
    texts = [
        f"{prompt_of(row.english_prompt, row.create_statement)} {row.sql_statement}" for row in rows
    ]
    sizes = {"n_layers": 4, "d_model": 128, "n_heads": 4, "context_length": 160}
    initialise_gpt_neo(
        out / "base", make_word_tokenizer([*texts, prompt_of("", "")]), name="base", seed=0, **sizes
    )
    train(
        out / "base",
        out / "train.jsonl",
        out / "valid.jsonl",
        out / "trained",
        out / "checkpoints",
        condition="schema",
        recipe=RECIPE,
    )


class Written(NamedTuple):
    """What `measure` wrote under one setting."""

    hidden_states: np.ndarray  # token, layer, d_model
    features: pd.DataFrame
    weights: dict[str, np.ndarray]
    last_evaluation: pd.Series
    content: list[bytes]


def read(out: Path) -> Written:
    """What lies in a folder of `measure`."""
    states = out / "activations.safetensors"
    features = out / "features.parquet"
    weights = out / "trained/model.safetensors"
    return Written(
        load_file(states)["hidden_states"],
        pd.read_parquet(features)[list(FEATURES)],
        load_file(weights),
        pd.read_csv(out / "trained" / HISTORY).iloc[-1],
        [path.read_bytes() for path in (states, features, weights)],
    )


def compare(first: Written, second: Written) -> dict[str, float | int | bool]:
    """How far the second is from the first.

    - `states`: the largest difference, relative to the first's largest state.
    - `features_changed`: the features that change by more than 1e-4 of their own value for any prompt.
    - `features_median`, `features_largest`: changes of features, relative to their own values.
    - `weights`: the norm of the difference, relative to that of the first's weights.
    - `..._difference`: the second's last evaluation less the first's.
    """
    states_apart = np.abs(first.hidden_states - second.hidden_states).max()
    features_apart = (first.features - second.features).abs()
    features_apart /= first.features.abs().clip(lower=1e-12)

    squares_of_moves = 0.0
    squares = 0.0
    for name, weight in first.weights.items():
        squares_of_moves += float(np.square(weight - second.weights[name]).sum())
        squares += float(np.square(weight).sum())

    compared = {
        "same_bytes": first.content == second.content,
        "states": float(states_apart / np.abs(first.hidden_states).max()),
        "features_changed": int((features_apart > 1e-4).any().sum()),
        "features_median": float(np.median(features_apart)),
        "features_largest": float(features_apart.max().max()),
        "weights": float(np.sqrt(squares_of_moves / squares)),
    }
    evaluations_apart = second.last_evaluation - first.last_evaluation
    for column, difference in evaluations_apart.drop("step").items():
        compared[f"{column}_difference"] = float(difference)
    return compared


def run(setting: Mapping[str, str], out: Path) -> None:
    """Measure in a process that has the environment variables of a setting."""
    out.mkdir()
    command = [sys.executable, "-m", "benchmarks.machines", str(out)]
    subprocess.run(command, env=os.environ | setting, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Measure under each setting and print how far it is from the first."""
    cases = {}
    first = None
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, setting) in enumerate(SETTINGS.items()):
            out = Path(folder) / str(number)
            run(setting, out)
            written = read(out)
            if first is None:
                first = written
            else:
                cases[name] = compare(first, written)
                print(f"{name}: {cases[name]}", flush=True)
    print_result("machines", cases=cases)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
    else:
        main()
