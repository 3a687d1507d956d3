"""Continue every prompt of a set with a model, and score the continuations as answers."""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.answers import answer_prompts
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import DEFAULTS, ModelSettings
from scripts.command import Output


def main(
    *,
    model: Path,
    prompts: Path,
    answer_tokens: int,
    tokens_per_batch: int,
    settings: ModelSettings = DEFAULTS,
    answers: Output,
) -> None:
    """Write the greedy continuation of every prompt of the CSV `prompts`,
    and whether it holds an accepted answer.
    """
    network = load_model(model, default_device(), settings)
    tokenizer = load_tokenizer(model)
    table = answer_prompts(
        network,
        tokenizer,
        read_prompts(prompts),
        answer_tokens=answer_tokens,
        tokens_per_batch=tokens_per_batch,
        template=settings.template,
    )
    write_parquet(table, answers)
