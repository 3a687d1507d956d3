"""Snakemake's messages about jobs stay readable.

The limits are 160 characters for a list of files, a reason or a line of a dry run, and 80 for a
part of a reason. The expected lengths are counted by hand.
"""

import logging

from mechaware.core.job_messages import ReadableJobs, first_files, shorten_reason

# A name with a one-digit number has 25 characters, with a two-digit number 26.
SEEDS = [f"results/s{number}/scores.parquet" for number in range(40)]


def filtered(**fields: object) -> logging.LogRecord:
    """The record with these fields after the filter, as Snakemake's formatter gets it."""
    record = logging.makeLogRecord(fields)
    assert ReadableJobs().filter(record)
    return record


def test_a_long_list_of_files_is_cut_to_the_first_ones_and_their_number() -> None:
    # With 2 characters between names, 6 names take 6 x 25 + 5 x 2 = 160, and 7 would take 187.
    assert first_files(SEEDS) == [*SEEDS[:6], "... (40 files)"]
    assert first_files(SEEDS[:6]) == SEEDS[:6]
    assert first_files([]) == []


def test_a_name_that_fills_the_line_alone_is_printed() -> None:
    name = 200 * "a"
    assert first_files([name, "b"]) == [name, "... (2 files)"]


def test_each_part_of_a_reason_is_cut_after_a_file() -> None:
    reason = f"Missing output files: {', '.join(SEEDS[:3])}; Code has changed since last execution"
    # "Missing output files: " and two names with commas have 22 + 2 x 26 + 1 = 75 characters; a
    # third name would have more than 80.
    assert shorten_reason(reason) == (
        "Missing output files: results/s0/scores.parquet, results/s1/scores.parquet, ...; "
        "Code has changed since last execution"
    )


def test_a_word_longer_than_a_part_stays_whole() -> None:
    word = 200 * "x"
    assert shorten_reason(word) == word
    # Cut at the last space before the 80th character, here the one after `files:`.
    assert shorten_reason(f"Missing files: {word}") == "Missing files: ..."


def test_a_part_of_exactly_eighty_characters_stays_whole() -> None:
    part = f"{'a' * 39} {'b' * 40}"
    assert shorten_reason(part) == part
    assert shorten_reason(f"{part}c") == f"{'a' * 39} ..."


def test_a_short_reason_stays_as_it_is() -> None:
    reason = "Updated input files: results/s0/scores.parquet; Params have changed"
    assert shorten_reason(reason) == reason


def test_the_record_of_a_job_is_shortened() -> None:
    reason = f"Missing output files: {SEEDS}"
    record = filtered(event="job_info", input=SEEDS, output=SEEDS, reason=reason)
    assert record.input == first_files(SEEDS)  # type: ignore[attr-defined]
    assert record.output == first_files(SEEDS)  # type: ignore[attr-defined]
    assert record.reason == shorten_reason(reason)  # type: ignore[attr-defined]


def test_the_record_of_a_failed_job_stays_whole() -> None:
    fields = {"input": SEEDS, "output": SEEDS, "reason": f"Missing output files: {SEEDS}"}
    record = filtered(event="job_error", **fields)
    assert {name: getattr(record, name) for name in fields} == fields


def test_the_names_of_rules_under_a_reason_are_broken_into_lines() -> None:
    names = [f"measure_pairs_{number:02d}" for number in range(30)]
    message = f"Reasons:\n    (check)\n    forced:\n        {', '.join(names)}"
    lines = filtered(msg=message).getMessage().splitlines()
    assert lines[:3] == ["Reasons:", "    (check)", "    forced:"]
    # A name has 16 characters. With an indent of 8, 8 names with a comma each and 7 spaces between
    # have 8 + 8 x 17 + 7 = 151 characters; 9 names would have 169.
    assert lines[3:] == [
        f"        {', '.join(names[:8])},",
        f"        {', '.join(names[8:16])},",
        f"        {', '.join(names[16:24])},",
        f"        {', '.join(names[24:])}",
    ]


def test_other_messages_pass_unchanged() -> None:
    message = ", ".join(SEEDS)
    assert filtered(msg=message).getMessage() == message


def test_the_message_on_edits_that_triggered_jobs_is_broken_into_lines() -> None:
    heading = "Some jobs were triggered by provenance information, see above."
    words = ["wipe"] * 40
    lines = filtered(msg=f"{heading}\n{' '.join(words)}").getMessage().splitlines()
    # A word and the space after it have 5 characters: 32 words have 159, and 8 words are left.
    assert lines == [heading, " ".join(words[:32]), " ".join(words[32:])]
