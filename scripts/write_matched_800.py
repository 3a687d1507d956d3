"""Writes docs/measured/radar_matched_800.csv, RADAR on the 400 matched pairs, after the run of config/matched-800.yaml.

The kinds of question repeat. Folds that keep pairs together therefore let a classifier learn what each kind looks
like, as a reader of word order shows; so RADAR and that reader are also cross-validated with whole kinds held out.
"""

import subprocess
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from snakemake.utils import update_config

from mechaware.configuration import read_yaml
from mechaware.frames import write_csv
from mechaware.provenance import REPOSITORY
from mechaware.radar.controls import FEATURE_SETS
from mechaware.radar.ensemble import Ensemble, assign_folds, is_recall, predict_held_out
from mechaware.radar.identity import pairs, with_text
from mechaware.radar.prompts import read_prompts
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean, sign_flip_above_zero

SET, MODEL = "radar_matched_800", "smollm2-135m-instruct"
CONFIG = "config/matched-800.yaml"
BOTH = "answered_pairs"  # whose two prompts the model answers
# The kinds whose two answers are both years, months, colors or numbers; a slice added after the results were seen.
SAME_TYPE = ["year / later year", "holiday / later month", "color / colored hat", "quantity / sum"]
WORD = r"\w+|[^\w\s]"  # a word, a number or a punctuation mark
RESULTS = Path(f"results/radar/{MODEL}")
COMMAND = (
    f"snakemake results/tables/radar_{{controls,performance,answers}}.csv --configfile {CONFIG} --cores 1; "
    "python -m scripts.write_matched_800"
)


def main() -> None:
    """Write the table from ./results."""
    config = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    update_config(config, read_yaml(REPOSITORY / CONFIG, CONFIG))
    table = pd.concat([workflow_rows(), held_out_rows(config)], ignore_index=True)
    commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=True)
    table = table.assign(
        permutations=config["radar"]["permutations"],
        date=date.today().isoformat(),
        device="two CPU cores, one job at a time",
        commit=commit.stdout.strip(),
        command=COMMAND,
    )
    write_csv(table, REPOSITORY / f"docs/measured/{SET}.csv")


def workflow_rows() -> pd.DataFrame:
    """The accuracies of the run: of each system, of RADAR where the model answers both prompts, and of the model."""
    controls = pd.read_parquet(RESULTS / "comparison.parquet").query("prompt_set == @SET and reduction != 'mean'")
    columns = ["protocol", "system", "accuracy", "bootstrap_low", "bootstrap_high", "n", "seeds", "seed_mean"]
    columns += ["seed_min", "seed_max", "p_above_guessing", "p_of_mean"]
    renamed = {"bootstrap_low": "low", "bootstrap_high": "high"}
    systems = controls[columns].rename(columns=renamed).assign(slice="overall")
    performance = pd.read_parquet(RESULTS / "performance.parquet").query("prompt_set == @SET")
    slices = performance[["slice", "accuracy", "bootstrap_low", "bootstrap_high", "n"]].rename(columns=renamed)
    slices = slices[slices["slice"] == BOTH].assign(protocol="trained", system="radar")
    answers = pd.read_parquet(RESULTS / "answer_counts.parquet").query("prompt_set == @SET")
    answered = answers.rename(columns={"share": "accuracy"})[["label", "accuracy", "low", "high", "n"]]
    first = ["slice", "protocol", "system", "label"]
    rows = pd.concat([systems, slices, answered.assign(slice="answered", system="model")], ignore_index=True)
    return rows[[*first, *(name for name in rows if name not in first)]]


def held_out_rows(config: dict[str, Any]) -> pd.DataFrame:
    """RADAR and a reader of word order with whole kinds held out, and that reader with pairs held out.

    Intervals and p-values are over the 30 kinds, whose pairs are not independent.
    """
    prompts = read_prompts(REPOSITORY / f"config/prompts/{SET}.csv")
    features = RESULTS / f"features/{SET}.{config['radar']['attention_entropy_reduction']}.parquet"
    table = with_text(pd.read_parquet(features), prompts)
    kinds = table["id"].map({prompt.id: prompt.source for prompt in prompts})
    answers = pd.read_parquet(RESULTS / f"answers/{SET}.parquet").set_index("id")["right"]
    both = table["id"].map(answers).groupby(pairs(table)).transform("all").astype(bool)
    cells = [("kinds_held_out", system, kinds) for system in ("radar", "surface_only", "word_order")]
    cells.append(("cross_validated", "word_order", pairs(table)))
    rows = []
    for protocol, system, groups in cells:
        seeds = range(config["radar"]["spread_seeds"])
        right = np.array([_right(table, groups, system, config, seed) for seed in seeds])
        for name, part in (("overall", kinds.notna()), (BOTH, both), ("same_type_of_answer", kinds.isin(SAME_TYPE))):
            accuracies = _accuracies(right[:, part.to_numpy()], kinds[part], config)
            rows.append({"slice": name, "protocol": protocol, "system": system} | accuracies)
    return pd.DataFrame(rows)


def _accuracies(
    right: Float[np.ndarray, "seed prompt"], kinds: pd.Series, config: dict[str, Any]
) -> dict[str, float | int]:
    by_prompt, by_seed = right.mean(axis=0), right.mean(axis=1)
    options = {"resamples": config["bootstrap_resamples"], "seed": config["seed"]}
    low, high = bootstrap_mean(by_prompt, kinds, **options, level=config["confidence_level"])
    over_kinds = pd.Series(by_prompt - 0.5).groupby(kinds.to_numpy()).sum().to_numpy(float)
    return {
        "accuracy": by_prompt.mean(),
        "low": low,
        "high": high,
        "n": len(kinds),
        "seeds": len(right),
        "seed_mean": by_seed.mean(),
        "seed_min": by_seed.min(),
        "seed_max": by_seed.max(),
        "p_above_guessing": sign_flip_above_zero(over_kinds, **options),
    }


def _right(
    table: pd.DataFrame, groups: pd.Series, system: str, config: dict[str, Any], number: int
) -> Float[np.ndarray, " prompt"]:
    """Whether a system is right about each prompt (1 or 0), fitted on the other folds; a group is never split."""
    seed = derive_seed(config["seed"], SET, number)
    fold = assign_folds(table, groups, folds=config["radar"]["folds"], seed=seed)
    predicted = predict_held_out(table, fold, partial(_fit_predict, system, seed))["predicted"]
    return (predicted == table["label"]).to_numpy(float)


def _fit_predict(system: str, seed: int, training: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Labels by RADAR's ensemble or a part of it, or by single words, pairs and triples of words."""
    if system in FEATURE_SETS:
        return Ensemble.fit(training, FEATURE_SETS[system], seed).predict(table)[["predicted"]]
    words = CountVectorizer(token_pattern=WORD, ngram_range=(1, 3))
    reader = make_pipeline(words, LogisticRegression(max_iter=5000)).fit(training["prompt"], is_recall(training))
    labels = np.where(reader.predict(table["prompt"]) == 1, "recall", "reasoning")
    return pd.DataFrame({"predicted": labels}, index=table.index)


if __name__ == "__main__":
    main()
