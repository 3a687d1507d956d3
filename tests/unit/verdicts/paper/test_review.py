"""The report on a single paper as Markdown for a review form."""

import re
from pathlib import Path

from markdown_it import MarkdownIt

from mechaware.verdicts.paper.entry_texts import next_steps
from tests.unit.verdicts.paper.entries_by_hand import HEADS_SCORED


def review_lines(folder: Path) -> list[str]:
    return (folder / "review.md").read_text().splitlines()


def review_of_claims(folder: Path) -> list[list[str]]:
    """The lines of each claim's part of the review, from its heading on."""
    parts: list[list[str]] = []
    for line in review_lines(folder):
        if line.startswith("### "):
            parts.append([])
        if parts:
            parts[-1].append(line)
    return parts


def test_the_review_begins_with_the_paper_and_the_judge(report: Path) -> None:
    lines = review_lines(report)

    assert lines[:3] == [
        "# Evidence for the claims of “mine.pdf”",
        "",
        "The judge read the text alone. Figures were not seen; "
        "a table only as the words and numbers of its cells.",
    ]
    # By hand in `test_page.py`: 3.6 without E6 and 4.7 with it.
    assert lines[4] == "## Rules: CVS 3.6 to 4.7, tier open"


def test_the_review_has_a_part_for_each_claim(report: Path) -> None:
    circuit, heads = review_of_claims(report)

    assert circuit[0] == (
        "### Claim 1, about the whole circuit, taken for the paper's score: "
        "CVS 3.6 to 4.7, tier open"
    )
    # V3 alone is 1 / 18 * 10 = 0.6.
    assert heads[0] == (
        "### Claim 2, about a part: CVS 0.6, Proposed (lowest of 5 tiers, 0 to 1.9)"
    )


def test_the_review_lists_the_criteria_of_a_claim_by_status_with_their_quotes(
    report: Path,
) -> None:
    circuit, _ = review_of_claims(report)

    assert "> A circuit of five heads finds the name." in circuit
    assert "**Not met** (21 of 27)" in circuit
    convergent = (
        "- C5 Convergent validity: Asks C5? "
        "Minimum vote: from YES down to PARTIAL across 2 of 3 runs."
    )
    assert convergent in circuit
    after_c1 = circuit[circuit.index("- C1 Falsifiability") + 1]
    # The quote stops one letter before the end of "name".
    assert after_c1 == "  - “the heads copy the nam” (page 2, “Method”)"
    unscored = circuit[circuit.index("**Unscored** (1 of 27)") :]
    assert "- E6 Cross-architecture: Asks E6?" in unscored


def test_the_review_names_what_the_audit_lowered(report: Path) -> None:
    _, heads = review_of_claims(report)

    lowered = "Leak audit: lowered from PARTIAL to NO. the curve is \\[the circuit's\\]"
    assert any(lowered in line for line in heads)


def test_the_review_by_a_model_has_a_way_to_the_next_tier(report_by_both: Path) -> None:
    lines = review_lines(report_by_both)

    assert "A shortest way to Causally Suggestive (2.0 or more); there may be others:" in lines
    # A step begins with the two characters of its criterion's code; the guide's YES is
    # "Met <code>.". The steps of claim 2 come last.
    steps = [f"- {step}. Met {step[:2]}." for step in next_steps(HEADS_SCORED)]
    assert [line for line in lines if "→ YES." in line][-len(steps) :] == steps


def test_the_review_by_rules_has_no_advice(report: Path) -> None:
    assert not any("shortest way" in line for line in review_lines(report))


def test_hostile_text_stays_text_in_the_review(report: Path) -> None:
    """Rendered by markdown-it with HTML allowed, the review has only elements of its own form."""
    html = MarkdownIt("commonmark", {"html": True}).render((report / "review.md").read_text())

    elements = set(re.findall(r"<(\w+)", html))
    assert elements == {"h1", "h2", "h3", "p", "ul", "li", "blockquote", "strong"}
    assert "window.owned = 1" in html
