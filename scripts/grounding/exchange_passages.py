"""Ask a model a log's questions again, with other passages and without;
reach the verdict, and draw its page.
"""

from pathlib import Path

from mechaware.core.evaluation_log.passages import read_passages
from mechaware.core.frames import write_csv
from mechaware.instruments.grounding.passages.answering import answer_questions
from mechaware.instruments.grounding.passages.asking import ask_items
from mechaware.instruments.grounding.tasks.reading import model_limits
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import DEFAULTS, ModelSettings
from mechaware.verdicts.page import write_verdict
from mechaware.verdicts.passages import DOOR, items_table, judge_passages, log_notes
from scripts.command import Output


def main(
    *,
    name: str,
    label: str,
    samples: Path,
    model: Path,
    field: str,
    metric: str,
    confidence_level: float,
    settings: ModelSettings = DEFAULTS,
    seed: int,
    verdict: Output,
    page: Output,
    lines: Output,
    by_item: Output,
) -> None:
    """Write the verdict as JSON, as a page and as `lines`, and a row `by_item`."""
    passage_log = read_passages(samples, field=field, metric=metric)
    tokenizer = load_tokenizer(model)

    # Before the weights are loaded, which takes minutes for a large model.
    limits = model_limits(model, settings.template)
    questions, too_long = ask_items(passage_log.items, tokenizer, limits, seed)
    network = load_model(model, default_device(), settings)
    answers = answer_questions(network, tokenizer, questions, template=settings.template)

    passages_verdict = judge_passages(
        answers,
        questions,
        confidence_level=confidence_level,
        notes=log_notes([*passage_log.faults, *too_long], settings.template),
    )
    write_csv(items_table(answers), by_item)
    write_verdict(
        passages_verdict, DOOR, name=name, model=label, verdict_path=verdict, page=page, lines=lines
    )
