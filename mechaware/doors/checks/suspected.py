"""A suspected benchmark of the config: its models and files, and whether a verdict could follow."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.levels import significance_at
from mechaware.doors.checks.entries import ListedEntries
from mechaware.doors.checks.files import check_exists_or_is_result, existing_file
from mechaware.doors.checks.models import check_trained
from mechaware.instruments.radar.benchmark import Benchmark, read_benchmark
from mechaware.instruments.radar.corpus import corpus_texts
from mechaware.instruments.radar.order.meaning import check_order
from mechaware.instruments.radar.prefix import check_prefix, read_prefix
from mechaware.instruments.radar.verdicts.control import check_control


def check_suspected(name: str, config: Mapping[str, Any], models: ListedEntries) -> None:
    """Refuse a suspected benchmark if its models or files are unusable, or no verdict could follow.

    Args:
        name: The benchmark's name under radar/suspected.
        config: The whole config; its numbers are numbers, not text.
        models: The models that the benchmark's entry may name.

    Raises:
        UserError: For the first fault of the entry, or of a file that the entry names.
    """
    entry = config["radar"]["suspected"][name]
    where = f"config, radar/suspected/{name}"
    _check_models(entry, models, where)
    if "seen" in entry and "unseen" not in entry:
        raise UserError(
            f"{where}: seen without unseen; Con-ReCall needs both: add unseen, or remove seen"
        )

    files: dict[str, Path] = {}
    for key in ("items", "control", "unseen", "seen", "corpus"):
        if key in entry:
            files[key] = existing_file(entry[key], f"{where}/{key}")
    if "calibration" in entry:
        check_exists_or_is_result(entry["calibration"], f"{where}/calibration")

    skip = entry.get("skip_faulty", False)
    benchmark = read_benchmark(files["items"], skip_faulty=skip)
    benchmark_and_control = [benchmark]
    if "control" in files:
        control = read_benchmark(files["control"], skip_faulty=skip)
        benchmark_and_control.append(control)
        # A model with an adapter has a reference: the same model without it.
        has_reference = "reference" in entry or "adapter" in models.entries[entry["model"]]
        check_control(
            benchmark,
            control,
            detectors=config["radar"]["verdict_detectors"],
            has_reference=has_reference,
            significance=significance_at(config["confidence_level"]),
        )
    check_order(benchmark, entry.get("random_order", ()))

    for key in ("unseen", "seen"):
        if key in files:
            prefix = read_prefix(files[key])
            for items in benchmark_and_control:
                check_prefix(items, prefix)
    if "corpus" in files:
        # Refuse an empty corpus. Only its first text is read here, since a corpus may be large.
        next(corpus_texts(files["corpus"]))
    _check_verdict_can_follow(benchmark, entry, where)


def _check_models(entry: Mapping[str, Any], models: ListedEntries, where: str) -> None:
    """Refuse a model that is not listed or not trained, and a model as its own reference."""
    for key in ("model", "reference"):
        if key in entry:
            check_trained(entry[key], models, f"{where}/{key}")
    if entry.get("reference") == entry["model"]:
        raise UserError(
            f"{where}/reference: '{entry['model']}' is the model itself; name another, or remove it"
        )


def _check_verdict_can_follow(benchmark: Benchmark, entry: Mapping[str, Any], where: str) -> None:
    """Refuse a benchmark with nothing to compare its items with, unless it asks for scores only.

    A verdict compares the items with a control, their order with random orders, or, where the truth
    is known (`seen`), seen with unseen items.
    """
    if benchmark.has_truth or "control" in entry or "random_order" in entry:
        return
    if entry.get("scores_only", False):
        return
    raise UserError(
        f"{where}: no control, so that no verdict can follow; name as control a file of items that "
        "the model cannot have seen: newer items of the same source, rewrites of your own, or a "
        "split that was held out; or write random_order: [items] (or [options]) if the rows (or "
        "the choices) were published in a random order; or scores_only: true for scores without a "
        "verdict (mechaware seen: --control FILE, --random-order items or --scores-only)"
    )
