"""A judge's evidence on a page: the notes and quotes in it,
and the paper's text with quotes marked.
"""

from mechaware.verdicts.paper.evidence import Piece, Use, marked_text, split_notes, split_quotes
from tests.unit.verdicts.paper.entries_by_hand import LEAK


def test_a_note_of_the_median_vote_names_the_farthest_vote() -> None:
    evidence = "[MEDIAN-VOTE: NO→PARTIAL across 3 runs] Text."

    notes, evidence_without_notes = split_notes(evidence, [])

    assert notes == ["Median vote: PARTIAL, with votes as far as NO, across 3 runs."]
    assert evidence_without_notes == "Text."


def test_only_notes_of_downgrades_and_of_the_vote_are_taken_off_the_last_pass_first() -> None:
    first = LEAK.model_copy(update={"before": "YES", "after": "PARTIAL", "reason": "weak"})
    evidence = (
        f"[DEVIL'S-ADVOCATE: PARTIAL→NO, {LEAK.reason}] [LEAK-AUDIT: YES→PARTIAL, weak] "
        "[MIN-VOTE: of old] Text."
    )

    notes, evidence_without_notes = split_notes(evidence, [first, LEAK])

    assert notes == [
        f"Devil's advocate: lowered from PARTIAL to NO. {LEAK.reason}",
        "Leak audit: lowered from YES to PARTIAL. weak",
    ]
    # The last brackets are not in the form of a vote's note.
    assert evidence_without_notes == "[MIN-VOTE: of old] Text."


def test_a_quote_of_few_characters_is_text() -> None:
    pieces, note = split_quotes("“9.9” is “a head of the model”", [(0, 19)])

    assert pieces == [Piece("“9.9” is "), Piece("“a head of the model”", found=True, span=(0, 19))]
    assert note == ""


def test_with_more_spans_than_quotes_the_found_spans_are_linked_and_counted() -> None:
    pieces, note = split_quotes("no quote here", [(0, 9), None])

    link = Piece("", found=True, span=(0, 9))
    assert pieces == [Piece("no quote here"), link]
    assert note == "1 of 2 quotes found in the text"


def test_each_of_two_overlapping_quotes_has_an_anchor_and_its_uses() -> None:
    first = (
        Use("claim 1", "C1", "i#1", "page 3, 2 <Method>"),
        Use("claim 1", "M2", "i#2", "page 3, 2 <Method>"),
    )
    other = (Use("<b>, claim 2", "C1", "i#3", ""),)

    assert marked_text("abc<d>", {(2, 4): other, (1, 3): first}) == (
        'a<a class="at" id="c1-3"></a><mark>b</mark><a class="at" id="c2-4"></a><mark>c</mark>'
        ' <small class="uses">claim 1: <a href="i#1">C1</a>, <a href="i#2">M2</a>'
        " (page 3, 2 &lt;Method&gt;)</small>"
        "<mark>&lt;</mark>"
        ' <small class="uses">&lt;b&gt;, claim 2: <a href="i#3">C1</a></small>d&gt;'
    )
