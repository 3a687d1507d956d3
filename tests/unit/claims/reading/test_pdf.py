"""Corpora of hiding and of ordinary PDFs: what is hidden is taken out and recorded, what is seen is kept."""

import unicodedata
from pathlib import Path

import numpy as np
import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechaware.claims.reading.contrast import LINEAR, _is_legible
from mechaware.claims.reading.flags import paper_flags
from mechaware.claims.reading.pdf import seen
from mechaware.claims.reading.pdf import read_pdf
from mechaware.claims.reading.pdf.drawing import draw_without
from mechaware.claims.reading.readings import Reading, UnreadableError
from tests.unit.claims.reading.hiding_pdf import BODY, HIDING, SECRET, SEEN, TOP, within_forms, written
from tests.unit.claims.reading.ordinary_pdf import WORDS, ordinary, typeset
from tests.unit.claims.reading.pdf_files import line, pdf

__all__ = ["ordinary"]


def read(folder: Path, data: bytes) -> Reading:
    (folder / "document.pdf").write_bytes(data)
    return read_pdf(folder / "document.pdf", 50)


def words(text: str) -> str:
    return " ".join(text.split())


def letters(text: str) -> str:
    """The letters alone, those of full width as the common ones."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


# What stays of the page beside the line that is seen: letters that are
# drawn in place of a false text, and the line among which the secret lies.
LEFT = {
    "text that replaces the drawn letters": "Heads copy a name",
    "text that replaces nothing": ".",
    "letters in one place": "Give",
    "white among black words in its place": BODY,
    "white upon black words in its place": BODY,
}
HARMLESS = {"a comment": "annotation", "a form field": "form field"}


def test_thirty_ways_and_more_are_tried() -> None:
    assert len(HIDING) >= 30


@pytest.mark.parametrize("way", HIDING)
def test_hidden_text_is_taken_out_and_recorded(tmp_path: Path, way: str) -> None:
    text, hidden, pages, *_ = read(tmp_path, HIDING[way])
    assert words(text) == f"{SEEN} {LEFT.get(way, '')}".strip()
    assert pages == 1
    assert {piece.page for piece in hidden} == {1}
    assert "bestscore" in letters("".join(piece.text for piece in hidden))
    assert SEEN not in " ".join(piece.text for piece in hidden)
    flags = paper_flags(text, hidden, [])
    assert ("HIDDEN_TEXT" in flags) == (way not in HARMLESS)
    if way in HARMLESS:
        assert [(piece.reason, piece.text) for piece in hidden] == [(HARMLESS[way], SECRET)]


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("grey 0.89 on white", "not visible"),
        ("2.1 points", "tiny"),
        ("squeezed to a twentieth", "tiny"),
        ("outside of the crop box", "off page"),
        ("a false map to Unicode", "other letters"),
        ("text that replaces nothing", "replaced"),
        ("a hidden annotation", "not visible"),
    ],
)
def test_the_reason_says_what_is_seen(tmp_path: Path, way: str, reason: str) -> None:
    assert [piece.reason for piece in read(tmp_path, HIDING[way]).hidden] == [reason]


PHRASES = {
    "two columns": (
        "half grey captions",
        "A note at the foot, set small.",
        "A running foot in small print",
        "A blue link.",
        "Orange words.",
        "Cyan words.",
        "Words at five points.",
        "Scaled words.",
        "Turned words",
        "Slanting words",
        "0.91 ± 0.02",
        "Words in a clipped box",
        "illiIl10O",
        "Outlined words",
        "Words in a gradient",
        "Small capitals",
        "Highlighted words",
    ),
    "dark tables": (
        "Words on a pale field",
        "White on blue",
        "White on rounded black",
        "White headings of a table",
        "Yellow on a gradient",
        "Grey on red",
    ),
    "slides": ("Title in a bar", "Grey words of an uncovered item", "Small words of a foot"),
    "overlays": ("DRAFT", "Words below a transparent field"),
    "headings": (
        "NOT",
        "FINAL",
        "Shadowed heading",
        "Hollow heading",
        "efficient office fluff; Off by one; Überprüfung à naïve façade",
        "labels at a slant",
        "labels nearly upright",
        "Words on a hatched field",
        "snakemake of five points",
    ),
    "words in twelve forms": ("Words of an inner form",),
    "a heatmap with drawn letters": ("head 0.04", "head 0.96", "layer of the head", "fit of effects"),
    "a heatmap with a font": ("head 0.04", "head 0.96", "layer of the head", "fit of effects"),
    "a hyphen by its true text": ("of-fice",),
    "turned text": ("Downloaded from a library of preprints",),
    "a grey stamp": ("Preprint of the seventh of June",),
    "grey numbers of lines": ("041 042 043 lines",),
    "white on a form's field": ("White words of a button",),
}


def test_ordinary_documents_hide_nothing_and_lose_nothing(tmp_path: Path, ordinary: dict[str, bytes]) -> None:
    alarms, lost = {}, {}
    for name, data in ordinary.items():
        if name == "a scan":
            continue
        text, hidden, *_ = read(tmp_path, data)
        alarms[name] = [piece for piece in hidden if piece.reason != "annotation"]
        heatmap = name.startswith("a heatmap")
        phrases = (*PHRASES.get(name, ()), *(() if heatmap else (WORDS,)))
        lost[name] = [phrase for phrase in phrases if phrase not in words(text)]
    assert {name: pieces for name, pieces in alarms.items() if pieces} == {}
    assert {name: phrases for name, phrases in lost.items() if phrases} == {}


def test_a_scan_is_refused_without_an_alarm(tmp_path: Path, ordinary: dict[str, bytes]) -> None:
    """Nobody can say here whether the invisible words are those of the image; a judge gets none of them."""
    with pytest.raises(UnreadableError, match="only hidden text") as raised:
        read(tmp_path, ordinary["a scan"])
    assert raised.value.kind == "no_text"
    assert {piece.reason for piece in raised.value.hidden} == {"scan"}
    assert paper_flags(None, raised.value.hidden, []) == []


def test_invisible_text_on_an_empty_page_is_no_scan(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError) as raised:
        read(tmp_path, pdf(line(SECRET, before="3 Tr")))
    assert paper_flags(None, raised.value.hidden, []) == ["HIDDEN_TEXT"]


def test_white_words_that_run_off_their_dark_field_are_hidden_from_there_on(tmp_path: Path) -> None:
    """The field ends at 122, and twelve letters m of 10 points are 10 wide each from 50 on: seven are seen."""
    field = "q 40 590 82 40 re f Q"
    text, hidden, *_ = read(tmp_path, written(field + line("mmmmmmmmmmmm", before="1 g")))
    assert words(text) in (f"{SEEN} {'m' * count}" for count in (6, 7, 8))
    assert text.count("m") + hidden[0].text.count("m") == 12


def test_covered_words_of_two_letters_are_hidden_within_their_line(tmp_path: Path) -> None:
    """By the widths of Helvetica at 12 points "is" runs from 106.7 to 115.4."""
    covered = line("The effect is no artefact") + "q 1 g 106 595 10 20 re f Q"
    text, hidden, *_ = read(tmp_path, written(covered))
    assert words(text) == f"{SEEN} The effect no artefact"
    assert [piece.text.strip() for piece in hidden] == ["is"]


@pytest.mark.parametrize(
    ("sentence", "covered", "left"),
    [
        ("lowers it by 61% of its value", "1", "lowers it by 6% of its value"),
        ("lowers it by 0.912 of its value", "9", "lowers it by 0.12 of its value"),
        ("the atypical behaviour", "a", "the typical behaviour"),
    ],
)
def test_one_covered_letter_is_not_read(tmp_path: Path, sentence: str, covered: str, left: str) -> None:
    """In Courier of 10 points each letter is 6 broad."""
    place = 50 + 6 * sentence.index(covered)
    drawn = f"BT /G 10 Tf 50 600 Td ({sentence}) Tj ET q 1 g {place} 597 6 12 re f Q"
    font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>/G<</Type/Font/Subtype/Type1/BaseFont/Courier>>>>"
    text, hidden, *_ = read(tmp_path, pdf(TOP + drawn, resources=font))
    assert words(text) == f"{SEEN} {left}"
    assert [piece.text.strip() for piece in hidden] == [covered]


@pytest.mark.parametrize("angle", [0, 30, 45, 60, 90, 135])
def test_tiny_letters_are_tiny_at_any_angle_and_small_print_is_not(tmp_path: Path, angle: int) -> None:
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))

    def turned(size: float) -> bytes:
        matrix = f"{cosine:.4f} {sine:.4f} {-sine:.4f} {cosine:.4f} 300 300 Tm"
        return written(f"BT /F {size} Tf {matrix} ({SECRET}) Tj ET")

    assert {piece.reason for piece in read(tmp_path, turned(2.0)).hidden} == {"tiny"}
    assert read(tmp_path, turned(4)).hidden == []


def test_one_large_letter_does_not_make_those_around_it_legible(tmp_path: Path) -> None:
    mixed = f"BT /F 12 Tf 50 600 Td (WM) Tj /F 1 Tf ({SECRET}) Tj ET"
    text, hidden, *_ = read(tmp_path, written(mixed))
    assert SECRET not in words(text)
    assert "tiny" in {piece.reason for piece in hidden}


def test_words_that_the_edge_cuts_raise_no_flag_and_words_beyond_it_do(tmp_path: Path) -> None:
    """As the slanting labels of a cropped figure: Helvetica of 12 points from 6 points above the lower edge on."""
    labels = "".join(f"BT /F 12 Tf 0 1 -1 0 {60 + 40 * n} -20 Tm (labels) Tj ET\n" for n in range(5))
    text, hidden, *_ = read(tmp_path, written(labels))
    assert {piece.reason for piece in hidden} == {"cropped"}
    assert "HIDDEN_TEXT" not in paper_flags(text, hidden, [])
    beyond = written(f"BT /F 12 Tf 0 1 -1 0 60 -400 Tm ({SECRET}) Tj ET")
    unspaced = written(f"BT /F 12 Tf 0 1 -1 0 60 -100 Tm ({SECRET.replace(' ', '-')}) Tj ET")
    for data in (beyond, unspaced):
        assert "off page" in {piece.reason for piece in read(tmp_path, data).hidden}


def test_words_of_few_letters_with_accents_are_not_taken_for_others(tmp_path: Path) -> None:
    body = "#set page(margin: 2cm)\nŁódź, Żółć, naïve façade Ångström Dvořák šťastný. Żółć and ćma."
    text, hidden, *_ = read(tmp_path, typeset(tmp_path, body))
    assert hidden == []
    assert words(text).startswith("Łódź, Żółć, naïve façade Ångström")


def test_letters_that_were_not_examined_are_withheld_and_flagged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of forms deeper than those that are looked through, and of strings on more others than are told apart."""
    deep = written(**within_forms(12, "0 g"))  # type: ignore[arg-type]
    text, hidden, *_ = read(tmp_path, deep)
    assert (words(text), hidden) == (f"{SEEN} {SECRET}", [])
    monkeypatch.setattr("mechaware.claims.reading.pdf.letters.MOST_FORMS", 11)
    text, hidden, *_ = read(tmp_path, deep)
    assert (words(text), [piece[1:] for piece in hidden]) == (SEEN, [("not examined", SECRET)])
    assert "HIDDEN_TEXT" in paper_flags(text, hidden, [])


def test_hundreds_of_strings_upon_each_other_take_a_bounded_number_of_drawings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each of two scales the page, the page without letters, and without each of 13 sets of strings."""
    drawings = []
    monkeypatch.setattr(seen, "draw_without", lambda *given: drawings.append(given) or draw_without(*given))
    strings = "".join(f"BT /F 12 Tf {50 + 7 * (n % 50)} {300 + n // 50} Td (judge{n}) Tj ET\n" for n in range(400))
    hidden = read(tmp_path, written(strings)).hidden
    assert len(drawings) <= 2 * 14
    assert "not examined" in {piece.reason for piece in hidden}


@pytest.mark.parametrize("size", [26, 12])
def test_large_letters_are_seen_at_a_contrast_at_which_small_ones_are_not(tmp_path: Path, size: int) -> None:
    """Grey 0.92 on white has a contrast ratio of 1.2: capitals of 26 points are 18.7 points high."""
    assert ("PREPRINT" in read(tmp_path, written(line("PREPRINT", before="0.92 g", size=size))).text) == (size > 24)
    assert "PREPRINT" not in read(tmp_path, written(line("PREPRINT", before="0.97 g", size=size))).text


@pytest.mark.parametrize("fonts", [6, 2.5])
def test_small_print_is_read(tmp_path: Path, fonts: float) -> None:
    assert read(tmp_path, written(line(SECRET, size=fonts))).hidden == []


def test_numbers_alone_raise_no_flag(tmp_path: Path) -> None:
    text, hidden, *_ = read(tmp_path, written(line("0.25 100 17", before="1 g")))
    assert words(text) == SEEN
    assert [piece.text for piece in hidden] == ["0.25 100 17"]
    assert "HIDDEN_TEXT" not in paper_flags(text, hidden, [])


def luminance(shade: float) -> float:
    """Of a grey by WCAG 2."""
    return shade / 12.92 if shade <= 0.04045 else ((shade + 0.055) / 1.055) ** 2.4


@given(st.integers(0, 255), st.integers(0, 255))
@settings(max_examples=50)
def test_greys_are_told_apart_by_the_ratio_of_wcag(first: int, second: int) -> None:
    low, high = sorted(luminance(shade / 255) for shade in (first, second))
    expected = (high + 0.05) / (low + 0.05) >= 1.3
    colours = (np.repeat(LINEAR[shade], 3)[None] for shade in (first, second))
    assert bool(_is_legible(*colours)[0]) == expected


@pytest.mark.parametrize(
    ("ink", "readable"), [("1 1 0", False), ("0 1 1", True), ("1 .93 .93", False), ("1 0 0", True)]
)
def test_colours_on_white(tmp_path: Path, ink: str, readable: bool) -> None:
    assert (SECRET in read(tmp_path, written(line(SECRET, before=f"{ink} rg"))).text) == readable


def test_hidden_words_of_two_pages_have_their_pages(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(pdf(TOP))
    (tmp_path / "two.pdf").write_bytes(HIDING["white"])
    writer = pypdf.PdfWriter()
    for name in ("one", "two"):
        writer.append(tmp_path / f"{name}.pdf")
    writer.write(tmp_path / "document.pdf")
    reading = read_pdf(tmp_path / "document.pdf", 50)
    assert [(piece.page, piece.text) for piece in reading.hidden] == [(2, SECRET)]
    assert words(reading.text) == f"{SEEN} {SEEN}"
