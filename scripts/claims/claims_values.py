"""The claims study's numbers for the paper's text."""

from pathlib import Path
from typing import Any

import pandas as pd

from exhibits.claims.value_tables import VALUE_TABLES
from exhibits.claims.values import constants, mean_ranges, tiers_alike
from exhibits.report.values import significance_level, write_values
from mechaware.verdicts.trust.edits import planted_edits
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
    listed = [
        {
            "name": name,
            "label": label,
            "kind": judge_kinds[name],
            "most_claims": most_claims.get(name),
            "temperature": temperatures.get(name),
        }
        for name, label in judge_labels.items()
    ]
    lists = {
        "judges": listed,
        "references": list(pd.read_csv(references)["reference"].unique()),
        "edit": _example_edit(seed),
    }
    level = float(settings["confidence_level"])
    alike = tiers_alike(reported_papers, references, level=level)
    computed = constants() | mean_ranges(single_run) | alike | significance_level(settings)
    write_values(tables, VALUE_TABLES, settings, computed, lists, out)


def _example_edit(seed: int) -> dict[str, Any]:
    """The first edit of the trust study that negates a result: the claim, and the paragraph before and after it."""
    # Of three, one has a result of either claim that can be negated.
    papers = plan_trial_papers(3, seed)
    written = ((paper, write_trial_paper(paper)) for paper in papers)
    edits = (
        (paper, before, edit) for paper, before in written for edit in planted_edits(paper, before)
    )
    paper, manuscript, edit = next(planted for planted in edits if planted[-1].family == "negated")
    sections = zip(manuscript.sections, edit.manuscript.sections, strict=True)
    pairs = (
        pair for old, new in sections for pair in zip(old.paragraphs, new.paragraphs, strict=True)
    )
    before, after = next(pair for pair in pairs if pair[0] != pair[1])
    code, claim = str(edit.code), int(edit.claim or 0)
    return {
        "criterion": code,
        "levels": [own.claims[claim].levels[code] for own in (paper, edit.paper)],
        "statement": paper.claims[claim].statement,
        "before": [sentence.text for sentence in before[1]],
        "after": [sentence.text for sentence in after[1]],
    }
