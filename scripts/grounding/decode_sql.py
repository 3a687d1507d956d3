"""Answer the test requests with a trained model, with and without the schema in the prompt."""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.grounding.data.rows import read_rows
from mechaware.instruments.grounding.sql_answers import predict
from mechaware.models.devices import Device, device_named
from mechaware.models.registry import load_model, load_tokenizer
from scripts.command import Output


def main(*, model: Path, test: Path, batch_size: int, device: Device, predictions: Output) -> None:
    """Write prediction and score of every request under both conditions."""
    network = load_model(model, device_named(device))
    tokenizer = load_tokenizer(model)
    answered = predict(network, tokenizer, read_rows(test), batch_size=batch_size)
    write_parquet(answered.assign(run=model.name), predictions)
