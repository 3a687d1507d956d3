"""How far results move with the number of threads and the instruction set, which differ by machine.

Run `.venv/bin/python -m benchmarks.machines` after `make results`, which makes the model. Each of
`SETTINGS` is measured in a process of its own: activations and RADAR's features of ten prompts by
SmolLM2-135M, and 50 steps of training of a model like the grounding study's, twice as wide. Every
setting is compared with the first. docs/reproducibility.md has the results.
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
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
TWO_THREADS = {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
NO_AVX_IN_TORCH = {"ATEN_CPU_CAPABILITY": "default"}
NO_AVX_IN_MKL = {"MKL_CBWR": "COMPATIBLE"}
# Environment variables of a process, by the name of the setting. The first one measured again shows
# how far results move by themselves.
SETTINGS = {
    "one thread": ONE_THREAD,
    "one thread, again": ONE_THREAD,
    "one thread, no AVX in PyTorch": ONE_THREAD | NO_AVX_IN_TORCH,
    "one thread, no AVX in PyTorch and MKL": ONE_THREAD | NO_AVX_IN_TORCH | NO_AVX_IN_MKL,
    "two threads": TWO_THREADS,
}
N_PROMPTS = 10
# As in config/config.yaml: the tokens of a batch, and in nats the entropy of an attention
# head below which the head is specialised.
TOKENS_PER_BATCH = 768
SPECIALISED_HEAD_ENTROPY = 1.5
# As in config/config.yaml, but shorter: 50 steps, 10 of them of warm-up, and one evaluation.
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
    """Write activations, features and a trained model to `out`, under this process's setting."""
    measure_features(out)
    train_small_model(out)


def measure_features(out: Path) -> None:
    """Write the activations of ten prompts and RADAR's features of them into the folder `out`."""
    prompts = read_prompts(PROMPTS)[:N_PROMPTS]
    tokenizer = load_tokenizer(MODEL)
    ids = token_ids(
        tokenizer, [prompt.prompt for prompt in prompts], read_manifest(MODEL).vocab_size
    )
    activations = capture(
        load_model(MODEL, torch.device("cpu")), ids, tokens_per_batch=TOKENS_PER_BATCH
    )
    save_shard(
        activations._asdict(),
        out / "activations.safetensors",
        prompt_ids=[prompt.id for prompt in prompts],
        description={},
    )
    features = summary_table(
        map(summarise, split_prompts(activations)),
        reduction="sum",
        specialised_head_entropy=SPECIALISED_HEAD_ENTROPY,
    )
    features.to_parquet(out / "features.parquet")


def train_small_model(out: Path) -> None:
    """Train a GPT-Neo by `RECIPE` on generated SQL, and write it into the folder `out`/trained."""
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

    texts = []
    for row in rows:
        prompt = prompt_of(row.english_prompt, row.create_statement)
        texts.append(f"{prompt} {row.sql_statement}")
    # The marks of a prompt with nothing between them.
    texts.append(prompt_of("", ""))
    initialise_gpt_neo(
        out / "base",
        make_word_tokenizer(texts),
        name="base",
        n_layers=4,
        d_model=128,
        n_heads=4,
        context_length=160,
        seed=0,
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
    content: list[bytes]  # of the files of states, features and weights


def read(out: Path) -> Written:
    """Read what `measure` wrote into the folder `out`."""
    states = out / "activations.safetensors"
    features = out / "features.parquet"
    weights = out / "trained/model.safetensors"
    return Written(
        hidden_states=load_file(states)["hidden_states"],
        features=pd.read_parquet(features)[list(FEATURES)],
        weights=load_file(weights),
        last_evaluation=pd.read_csv(out / "trained" / HISTORY).iloc[-1],
        content=[path.read_bytes() for path in (states, features, weights)],
    )


def compare(first: Written, second: Written) -> dict[str, float | int | bool]:
    """How far the second is from the first.

    - `same_bytes`: whether the files of states, features and weights are equal.
    - `states`: the largest difference of a hidden state, over the first's largest absolute value.
    - `features_changed`: how many features change by more than 1e-4 of their own value for any
      prompt.
    - `features_median`, `features_largest`: the median and the largest change of a feature of a
      prompt, relative to its own value.
    - `weights`: |second - first| / |first|, where |.| is the norm over all weights.
    - `{column}_difference`: of each column of the last evaluation, the second's less the first's.
    """
    states_apart = np.abs(first.hidden_states - second.hidden_states).max()
    features_apart = (first.features - second.features).abs()
    # Clipped, since a feature may be 0.
    features_apart /= first.features.abs().clip(lower=1e-12)

    squared_change = 0.0
    squared_norm = 0.0
    for name, weight in first.weights.items():
        squared_change += float(np.square(weight - second.weights[name]).sum())
        squared_norm += float(np.square(weight).sum())

    compared = {
        "same_bytes": first.content == second.content,
        "states": float(states_apart / np.abs(first.hidden_states).max()),
        "features_changed": int((features_apart > 1e-4).any().sum()),
        "features_median": float(np.median(features_apart)),
        "features_largest": float(features_apart.max().max()),
        "weights": float(np.sqrt(squared_change / squared_norm)),
    }
    evaluations_apart = second.last_evaluation - first.last_evaluation
    for column, difference in evaluations_apart.drop("step").items():
        compared[f"{column}_difference"] = float(difference)
    return compared


def measure_under(setting: Mapping[str, str], out: Path) -> None:
    """Call `measure` in a process that has the environment variables of a setting."""
    out.mkdir()
    command = [sys.executable, "-m", "benchmarks.machines", str(out)]
    subprocess.run(command, env=os.environ | setting, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Measure under each setting, and print how far its results are from the first setting's."""
    cases = {}
    first = None
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, setting) in enumerate(SETTINGS.items()):
            out = Path(folder) / str(number)
            measure_under(setting, out)
            written = read(out)
            if first is None:
                first = written
            else:
                cases[name] = compare(first, written)
                print(f"{name}: {cases[name]}", flush=True)
    print_result("machines", cases=cases)


if __name__ == "__main__":
    # With a folder as its argument, a process of `measure_under`.
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
    else:
        main()
