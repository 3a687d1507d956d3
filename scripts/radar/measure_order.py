"""Measure how likely a model finds the published orders of a suspected benchmark, and others."""

from pathlib import Path

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.order.measuring import measure_orders
from mechaware.instruments.radar.order.options import Reordered
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import DEFAULTS, ModelSettings
from mechaware.models.tokenisation.start import StartToken
from scripts.command import Output


def main(
    *,
    questions: Path,
    model: Path,
    tokens_per_batch: int,
    start_token: StartToken,
    skip_faulty: bool,
    random_order: list[Reordered],
    settings: ModelSettings = DEFAULTS,
    seed: int,
    orders: Output,
) -> None:
    """Write the rows of `measure_orders`."""
    target = TokenisedModel(
        load_model(model, default_device(), settings),
        load_tokenizer(model),
        tokens_per_batch,
        start_token,
        template=settings.template,
    )
    benchmark = read_benchmark(questions, skip_faulty=skip_faulty)
    write_csv(measure_orders(target, benchmark, random_order, seed), orders)
