"""The claims study's numbers for the paper's text."""

from pathlib import Path
from typing import Any, cast

import pandas as pd

from exhibits.claims.value_tables import VALUE_TABLES
from exhibits.claims.values import constants, mean_ranges, tiers_alike
from exhibits.report.values import significance_level, write_values
from mechaware.planted.papers.manuscript import Manuscript
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.trust.edits import Edit, planted_edits
from mechaware.verdicts.trust.papers import plan_trial_papers, write_trial_paper
from scripts.command import Output


def main(
    *,
    tables: list[Path],
    single_run: Path,
    reported_papers: Path,
    references: Path,
    judge_labels: dict[str, str],
    judge_kinds: dict[str, str],
    most_claims: dict[str, int],
    temperatures: dict[str, float],
    settings: dict[str, str],
    seed: int,
    out: Output,
) -> None:
    """Write the values of the study's tables, of the config and of what is computed here to `out`.

    All four mappings from judges are by name. A judge without an entry in `most_claims` or
    `temperatures` has no such setting.
    """
    judges = []
    for name, label in judge_labels.items():
        judges.append(
            {
                "name": name,
                "label": label,
                "kind": judge_kinds[name],
                "most_claims": most_claims.get(name),
                "temperature": temperatures.get(name),
            }
        )
    not_numbers = {
        "judges": judges,
        "references": list(pd.read_csv(references)["reference"].unique()),
        "edit": _example_edit(seed),
    }
    confidence_level = float(settings["confidence_level"])
    alike = tiers_alike(reported_papers, references, confidence_level=confidence_level)
    computed = constants() | mean_ranges(single_run) | alike | significance_level(settings)
    write_values(tables, VALUE_TABLES, settings, computed, not_numbers, out)


def _example_edit(seed: int) -> dict[str, Any]:
    """The first edit of the trust study that negates a result, as the paper's text shows it."""
    # Of every three papers, at least one has a claim whose result can be negated.
    for paper in plan_trial_papers(3, seed):
        manuscript = write_trial_paper(paper)
        for edit in planted_edits(paper, manuscript):
            if edit.family == "negated":
                return _shown(paper, manuscript, edit)
    raise AssertionError("no result of these papers can be negated")


def _shown(paper: PlantedPaper, manuscript: Manuscript, edit: Edit) -> dict[str, Any]:
    """An edit of a claim: its criterion and claim, and the edited paragraph before and after.

    `levels` are the criterion's level before and after the edit.
    """
    before, after = _changed_paragraph(manuscript, edit.manuscript)
    # Only placebos have no claim and no criterion; a negated result has both.
    index = cast(int, edit.claim)
    code = cast(str, edit.code)
    claim = paper.claims[index]
    edited_claim = edit.paper.claims[index]
    return {
        "criterion": code,
        "levels": [claim.levels[code], edited_claim.levels[code]],
        "statement": claim.statement,
        "before": before,
        "after": after,
    }


def _changed_paragraph(manuscript: Manuscript, edited: Manuscript) -> tuple[list[str], list[str]]:
    """The sentences of the first paragraph that an edit changes, before and after the edit."""
    for section, edited_section in zip(manuscript.sections, edited.sections, strict=True):
        paragraphs = zip(section.paragraphs, edited_section.paragraphs, strict=True)
        for paragraph, edited_paragraph in paragraphs:
            if paragraph != edited_paragraph:
                before = [sentence.text for sentence in paragraph.sentences]
                after = [sentence.text for sentence in edited_paragraph.sentences]
                return before, after
    raise AssertionError("the edit changes no paragraph")
