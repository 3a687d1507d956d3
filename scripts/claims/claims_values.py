"""The claims study's numbers for the paper's text."""

from pathlib import Path
from typing import Any

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
    """Gather the values of the study's tables; `most_claims` and `temperatures` are of the judges that name one."""
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
    lists = {
        "judges": judges,
        "references": list(pd.read_csv(references)["reference"].unique()),
        "edit": _example_edit(seed),
    }
    confidence_level = float(settings["confidence_level"])
    alike = tiers_alike(reported_papers, references, confidence_level=confidence_level)
    computed = constants() | mean_ranges(single_run) | alike | significance_level(settings)
    write_values(tables, VALUE_TABLES, settings, computed, lists, out)


def _example_edit(seed: int) -> dict[str, Any]:
    """The first edit of the trust study that negates a result: the claim, and the paragraph before and after it."""
    # Of three papers, one has a result of either claim that can be negated.
    for paper in plan_trial_papers(3, seed):
        manuscript = write_trial_paper(paper)
        for edit in planted_edits(paper, manuscript):
            if edit.family == "negated":
                return _shown(paper, manuscript, edit)
    raise AssertionError("no result of these papers can be negated")


def _shown(paper: PlantedPaper, manuscript: Manuscript, edit: Edit) -> dict[str, Any]:
    """An edit as the paper's text shows it."""
    before, after = _changed_paragraph(manuscript, edit.manuscript)
    code = str(edit.code)
    number = int(edit.claim or 0)
    claim = paper.claims[number]
    edited_claim = edit.paper.claims[number]
    return {
        "criterion": code,
        "levels": [claim.levels[code], edited_claim.levels[code]],
        "statement": claim.statement,
        "before": before,
        "after": after,
    }


def _changed_paragraph(manuscript: Manuscript, edited: Manuscript) -> tuple[list[str], list[str]]:
    """The sentences of the first paragraph that an edit changes, before and after it."""
    for section, edited_section in zip(manuscript.sections, edited.sections, strict=True):
        paragraphs = zip(section.paragraphs, edited_section.paragraphs, strict=True)
        for paragraph, edited_paragraph in paragraphs:
            if paragraph != edited_paragraph:
                before = [sentence.text for sentence in paragraph.sentences]
                after = [sentence.text for sentence in edited_paragraph.sentences]
                return before, after
    raise AssertionError("the edit changes no paragraph")
