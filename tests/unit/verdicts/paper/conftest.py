"""Two reports on one paper, by rules alone and by a model and rules, which no test changes."""

from pathlib import Path

import pytest

from mechaware.verdicts.paper.html_page import write_report
from tests.unit.verdicts.paper.entries_by_hand import BY_MODEL, BY_RULES, GUIDES


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a paper that only rules judged."""
    folder = tmp_path_factory.mktemp("report") / "rules"
    write_report("mine.pdf", [BY_RULES], GUIDES, folder)
    return folder


@pytest.fixture(scope="module")
def report_by_both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a paper that a model and rules judged."""
    folder = tmp_path_factory.mktemp("report") / "both"
    write_report("mine.pdf", [BY_MODEL, BY_RULES], GUIDES, folder)
    return folder
