"""Let a trained model answer the test requests, with and without the schema in the prompt."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.grounding.accuracy import SPARE_TOKENS, decode, score
from mechaware.grounding.data.rows import prompt_of, read_rows
from mechaware.models.registry import default_device, load_model, load_tokenizer
from scripts.command import run


def main(*, model: Path, test: Path, batch_size: int, out: Path) -> None:
    """Write prediction and score of every request under both conditions."""
    rows, tokenizer = read_rows(test), load_tokenizer(model)
    network = load_model(model, default_device())
    longest = max(len(tokenizer(f" {row.sql_statement}").input_ids) for row in rows) + SPARE_TOKENS
    parts = []
    for condition in ("schema", "no_schema"):
        schemas = [row.create_statement if condition == "schema" else "" for row in rows]
        prompts = [prompt_of(row.english_prompt, schema) for row, schema in zip(rows, schemas, strict=True)]
        predicted = decode(network, tokenizer, prompts, max_new_tokens=longest, batch_size=batch_size)
        gold = [row.sql_statement for row in rows]
        scores = pd.DataFrame([score(*answers) for answers in zip(predicted, gold, strict=True)])
        scores = scores.assign(row=range(1, len(rows) + 1), evaluated_with=condition, predicted=predicted, gold=gold)
        parts.append(scores)
    table = pd.concat(parts, ignore_index=True)
    columns = ["row", "evaluated_with", "exact_match", "names_right", "names", "gold", "predicted"]
    write_csv(table[columns], out)


if __name__ == "__main__":
    run(main)
