"""Edits of a finished tree, and the jobs that Snakemake would run after them.

A finished tree is a copy of the repository with all results of the small run. An `Edit` is a
function that changes the files of such a tree, given its folder.
"""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.checkout import Checkout
from tests.outputs import DRAWN, TABLES

Edit = Callable[[Path], None]
# Characters in a line of a dry run. Lists of files and reasons are cut to 160 characters
# (mechaware/core/job_messages.py), to which a line adds a few words.
MAX_LINE_LENGTH = 200
OLDER = 946_684_800  # the first second of the year 2000, in UTC
# What edits change, at the top of a tree.
EDITED = ("config", "mechaware", "exhibits", "scripts", "paper", "README.md")


def date_back(path: Path) -> None:
    """Give a file a date before all results, so that only its content can cause a rerun."""
    os.utime(path, (OLDER, OLDER))


def replace(file: str, old: str, new: str) -> Edit:
    """The edit that replaces a text in a file, which must have it exactly once."""

    def edit(folder: Path) -> None:
        text = (folder / file).read_text()
        assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        (folder / file).write_text(text.replace(old, new))
        date_back(folder / file)

    return edit


def set_figure(setting: str) -> Edit:
    """The edit that gives the config a setting under `figures`, such as `a_figure: {width: 2}`."""
    return replace("config/config.yaml", "\nfigures: {}\n", f"\nfigures: {{{setting}}}\n")


# The rule that makes a study's values, with the rules whose results it reads. If one of them runs,
# so does the rule of the values.
VALUES_FROM = {
    "radar_values": {
        "radar_performance",
        "radar_controls",
        "radar_score_means",
        "radar_implied",
        "radar_datasets",
        "radar_answers",
        "classify_prompts",
        "evaluate_controls",
        "permute_labels",
        "summarise_predictions",
        "summarise_controls",
        "summarise_features",
        "correlate_length",
        "memorisation_detectors",
        "memorisation_items",
        "memorisation_kinds",
        "memorisation_proxies",
        "memorisation_natural",
        "memorisation_inside",
        "memorisation_lens",
        "summarise_memorisation",
        "summarise_text_twins",
        "summarise_text_probes",
        "compare_inside",
        "summarise_logit_lens",
    },
    "grounding_values": {
        "grounding_accuracy",
        "grounding_rules",
        "grounding_contrast",
        "grounding_models",
        "grounding_verdict",
        "grounding_rule_sets",
        "grounding_implied",
        "grounding_localisation",
        "grounding_lookups",
        "judge_runs",
        "summarise_runs",
    },
    "claims_values": {
        "claims_planted",
        "claims_boundaries",
        "claims_implied",
        "claims_trust",
        "claims_single_run",
        "claims_vote",
        "claims_author",
        "claims_lists",
    },
}


def with_the_paper(jobs: dict[str, int]) -> dict[str, int]:
    """`jobs` and those that follow from them: the values made of their results, the headlines made
    of any new values, and the paper, which shows all tables, figures and values.
    """
    all_jobs = dict(jobs)
    for values, sources in VALUES_FROM.items():
        if sources & jobs.keys():
            all_jobs[values] = 1
            # New values may change the outcome of a headline.
            all_jobs["headlines"] = 1

    shown = {*TABLES, *DRAWN.values(), *VALUES_FROM}
    if shown & all_jobs.keys():
        all_jobs["paper"] = 1
    return all_jobs


def planned_jobs(checkout: Checkout, target: str = "all") -> dict[str, int]:
    """The number of jobs of each rule in a dry run for a target rule, without the target's own job.

    Empty if nothing is to be done. Fails if the dry run prints a line that is too long.
    """
    out = checkout.snakemake(target, "-n", "--cores", "all", "--resources", "gpu=1").stdout
    assert max(map(len, out.splitlines())) <= MAX_LINE_LENGTH

    # Snakemake prints the counts between these lines, such as `radar_scores    1`.
    table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", out, re.MULTILINE | re.DOTALL)
    if table is None:
        assert "Nothing to be done" in out, out
        return {}

    jobs = {}
    for line in table[1].splitlines():
        name, count = line.split()
        jobs[name] = int(count)
    assert jobs.pop(target) == 1
    return jobs


def copy_of_the_finished(finished: Checkout, folder: Path) -> Checkout:
    """Copy a finished tree: a copy of each file that edits may change, and hard links to all other
    files, among them the results.
    """

    def copy_or_link(source: str, target: str) -> None:
        top = Path(source).relative_to(finished.folder).parts[0]
        if top in EDITED:
            shutil.copy2(source, target)
        else:
            os.link(source, target)

    shutil.copytree(finished.folder, folder, symlinks=True, copy_function=copy_or_link)
    return finished._replace(folder=folder)
