"""Patch a model on a task's pairs, reach the verdict, and draw its page."""

from pathlib import Path

from mechaware.instruments.grounding.rules import ConfiguredThresholds
from mechaware.instruments.grounding.rules.registry import further_rules
from mechaware.instruments.grounding.tasks.measuring import measure_task
from mechaware.instruments.grounding.tasks.notes import reading_notes
from mechaware.instruments.grounding.tasks.reading import model_limits, read_task
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import DEFAULTS, ModelSettings
from mechaware.verdicts.error_rates import ModelSize, read_calibration
from mechaware.verdicts.page import write_verdict
from mechaware.verdicts.reads import DOOR, judge_task, median_length
from scripts.command import Flags, Output


def main(
    *,
    name: str,
    label: str,
    table: Path,
    model: Path,
    calibration: Path,
    options: list[str],
    skip_faulty: bool,
    own_rules: list[str],
    configured: Flags[ConfiguredThresholds],
    verdict_share: float,
    confidence_level: float,
    bootstrap_resamples: int,
    tokens_per_batch: int,
    settings: ModelSettings = DEFAULTS,
    seed: int,
    verdict: Output,
    page: Output,
    lines: Output,
) -> None:
    """Write the verdict as JSON, as a page, and as `lines`, with which `snakemake pairs` ends.

    The model is in the folder `model`, and `label` is its name on the page. `table` has the task's
    pairs, which are read with `options` and `skip_faulty` (`read_task`). `own_rules` are dotted
    names of rules in the user's own package.
    """
    tokenizer = load_tokenizer(model)

    # Read the table before the weights, so that a fault in it is found at once: loading a large
    # model takes minutes.
    limits = model_limits(model, settings.template)
    task = read_task(table, tokenizer, limits, options=options, skip_faulty=skip_faulty)
    network = load_model(model, default_device(), settings)
    measurements = measure_task(
        network,
        tokenizer,
        task.pairs,
        table,
        tokens_per_batch=tokens_per_batch,
        template=settings.template,
    )
    notes_on_reading = reading_notes(
        network,
        tokenizer,
        task.pairs,
        tokens_per_batch=tokens_per_batch,
        template=settings.template,
    )

    config = network.config.get_text_config()
    task_verdict = judge_task(
        measurements,
        configured.at(confidence_level),
        read_calibration(calibration),
        size=ModelSize(config.num_hidden_layers, config.hidden_size),
        text_length=median_length(task.pairs),
        own=further_rules(own_rules),
        notes=[*task.notes, *measurements.notes, *notes_on_reading],
        verdict_share=verdict_share,
        confidence_level=confidence_level,
        resamples=bootstrap_resamples,
        seed=seed,
    )
    write_verdict(
        task_verdict, DOOR, name=name, model=label, verdict_path=verdict, page=page, lines=lines
    )
