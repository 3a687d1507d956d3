"""Snakemake's messages about jobs stay readable: by hand-made records, and in the length of every line of a dry run."""

import logging

from mechaware.core.job_messages import ReadableJobs, first_files, shorten_reason

SEEDS = [f"results/s{number}/scores.parquet" for number in range(40)]


def passed(**fields: object) -> logging.LogRecord:
    """The record of these fields, as Snakemake's formatter gets it."""
    record = logging.makeLogRecord(fields)
    assert ReadableJobs().filter(record)
    return record


def test_a_long_list_of_files_is_its_first_and_their_number() -> None:
    # 25 characters a name with one digit, 26 with two, and 2 between: 5 names take 133, 6 take 160, 7 take 187.
    assert first_files(SEEDS) == [*SEEDS[:6], "... (40 files)"]
    assert first_files(SEEDS[:6]) == SEEDS[:6]
    assert first_files([]) == []


def test_a_name_that_fills_the_line_alone_is_printed() -> None:
    name = 200 * "a"
    assert first_files([name, "b"]) == [name, "... (2 files)"]


def test_each_part_of_a_reason_is_cut_behind_a_file() -> None:
    reason = f"Missing output files: {', '.join(SEEDS[:3])}; Code has changed since last execution"
    # "Missing output files: " and two names with commas have 22 + 2 x 26 + 1 = 75 characters.
    assert shorten_reason(reason) == (
        "Missing output files: results/s0/scores.parquet, results/s1/scores.parquet, ...; "
        "Code has changed since last execution"
    )


def test_a_word_longer_than_a_part_stays_whole() -> None:
    word = 200 * "x"
    assert shorten_reason(word) == word
    # Cut behind the last space before the 80th character, of which there is one, behind `files:`.
    assert shorten_reason(f"Missing files: {word}") == "Missing files: ..."


def test_a_short_reason_stays_as_it_is() -> None:
    reason = "Updated input files: results/s0/scores.parquet; Params have changed"
    assert shorten_reason(reason) == reason


def test_a_job_that_would_run_is_short_and_a_failed_one_whole() -> None:
    fields = {"input": SEEDS, "output": SEEDS, "reason": f"Missing output files: {SEEDS}"}
    record = passed(event="job_info", **fields)
    assert (record.input, record.output) == (first_files(SEEDS), first_files(SEEDS))  # type: ignore[attr-defined]
    assert record.reason == shorten_reason(fields["reason"])  # type: ignore[arg-type, attr-defined]
    failed = passed(event="job_error", **fields)
    assert {name: getattr(failed, name) for name in fields} == fields


def test_the_names_of_rules_under_a_reason_are_broken_into_lines() -> None:
    names = [f"measure_pairs_{number:02d}" for number in range(30)]
    message = f"Reasons:\n    (check)\n    forced:\n        {', '.join(names)}"
    *heads, first, second, third, fourth = passed(msg=message).getMessage().splitlines()
    assert heads == ["Reasons:", "    (check)", "    forced:"]
    # 16 characters a name, a comma and a space behind each: 8 names and 8 of indent have 151, 9 would have 169.
    assert first == f"        {', '.join(names[:8])},"
    assert fourth == f"        {', '.join(names[24:])}"
    assert " ".join(line.strip() for line in (first, second, third, fourth)) == ", ".join(names)


def test_other_messages_pass_unchanged() -> None:
    message = ", ".join(SEEDS)
    assert passed(msg=message).getMessage() == message


def test_the_message_on_edits_that_triggered_jobs_is_broken_into_lines() -> None:
    words = ["wipe"] * 40
    message = f"Some jobs were triggered by provenance information, see above.\n{' '.join(words)}"
    first, second, third = passed(msg=message).getMessage().splitlines()
    assert first == "Some jobs were triggered by provenance information, see above."
    # 5 characters a word with its space: 32 words have 159, and the other 8 follow.
    assert (second.split(), third.split()) == (words[:32], words[32:])


def test_a_part_of_exactly_eighty_characters_stays_whole() -> None:
    part = f"{'a' * 39} {'b' * 40}"
    assert shorten_reason(part) == part
    assert shorten_reason(f"{part}c") == f"{'a' * 39} ..."
