"""Corpora of hiding and of ordinary web pages: what is hidden is taken out and recorded, what is seen is kept."""

import contextlib
import time
from pathlib import Path

import pytest

from mechaware.claims.reading.flags import paper_flags
from mechaware.claims.reading.readings import Reading, UnreadableError
from mechaware.claims.reading.web import document
from mechaware.claims.reading.web.document import read_html
from mechaware.claims.reading.web.styles.grammar import verdict
from mechaware.claims.reading.web.styles.media import media_matches
from mechaware.claims.reading.web.values.colours import BLACK, colour, encoded
from mechaware.claims.reading.web.values.lengths import bare, length, written
from tests.unit.claims.reading.hiding_html import HIDING, PARAGRAPHS, SECRET, page
from tests.unit.claims.reading.ordinary_html import ORDINARY


def read(folder: Path, content: str) -> Reading:
    (folder / "document.html").write_text(content)
    return read_html(folder / "document.html")


def test_forty_three_ways_and_more_are_tried() -> None:
    assert len(HIDING) >= 43


NOT_IN_TEXT = {"a framed page", "a hidden input", "a title", "an alternative text", "meta data"}  # values of attributes


@pytest.mark.parametrize("way", HIDING)
def test_hidden_text_is_taken_out_and_recorded(tmp_path: Path, way: str) -> None:
    text, hidden, *_ = read(tmp_path, HIDING[way])
    assert SECRET not in text
    assert "best score" not in text
    assert [paragraph for paragraph in PARAGRAPHS if paragraph not in text] == []
    if way not in NOT_IN_TEXT:
        assert SECRET in " ".join(piece.text for piece in hidden)
        assert "HIDDEN_TEXT" in paper_flags(text, hidden, [])


SHOWN = {
    "a site": "Words for wide screens.",
    "a paper by LaTeXML": "White words in a dark cell",
    "a dark site": "A pale link.",
    "a heading on a photograph": "Words over a dark image here",
    "a heading in a gradient": "Words in a gradient of colours",
    "a banner of two colours": "White words on a dark gradient.",
    "what fades in": "Words that fade in as the page opens.",
    "code": "patch(head)",
    "badges and small print": "Nine pixels.",
    "open details": "Words of the open details here.",
    "arranged by position": "Moved a little.",
    "styles of clearing and scrolling": "Words in a cleared box here.",
    "shown again": "All unset.",
    "a fallback for old browsers": "Words in a grid.",
    "values of other browsers": "Words for all.",
    "a dark banner behind": "White words over a dark banner.",
    "a dark part behind": "White words over a dark part.",
    "below, within its own stack": "Words of a lower layer.",
    "columns that grow": "Words of a cell.",
    "a box of a fixed ratio": "Words of a slide.",
    "a title before the article": "A title of the page before it",
    "closed details": "We expand the sum over all of the heads.",
    "a long button": "Show all the seven heads of the circuit",
    "a figure aside": "what each of the heads does.",
    "words twice for the blind": "Words that are marked as an ornament.",
    "a centred column": "Words in the middle.",
    "a margin note": "Words in the margin.",
    "a dark scheme": "Pale words of a dark scheme.",
    "a margin pulled through": "Words above a pulled box.",
    "a heatmap of mixed colours": "Words in a navy cell.",
    "a symbol in a formula": "So Lambda=1/2 holds.",
    "a heading on a darkened picture": "A heading on a darkened picture",
    "a dark shadow inside": "Words on a dark shadow.",
    "an application that scrolls within": "Words far down in a box that scrolls.",
    "a card that moves a little": "Words of a card that moves.",
    "words over the foot of a figure": "Words over a figure.",
    "a component": "Words in its slot.",
    "a relative colour": "Words in a relative colour.",
    "a figure that is drawn": "Words below a drawing.",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_pages_hide_nothing_and_lose_nothing(tmp_path: Path, name: str) -> None:
    text, hidden, *_ = read(tmp_path, ORDINARY[name])
    assert hidden == []
    assert [paragraph for paragraph in PARAGRAPHS if paragraph not in text] == []
    assert SHOWN.get(name, "") in " ".join(text.split())


FOLDED = {
    "the panel of a tab": page(
        "<div class='tab on'><p>Words of a tab.</p></div><div class=tab><p>Words of a closed tab in a row.</p></div>",
        ".tab{display:none} .tab.on{display:block}",
    ),
    "a note": page(
        "<p>Text.<span class=ltx_note_content>We thank all of those who read this.</span></p>",
        ".ltx_note_content{display:none}",
    ),
    "a long label": page(
        "<a href=x>Link<span class=v>(opens in a new window or tab of your browser)</span></a>",
        ".v{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}",
    ),
    "what a control names": page(
        "<button aria-controls=m>More</button><p id=m hidden>Words that the button shows to you.</p>"
    ),
    "for a smaller screen": page(
        "<p class=m>Words that a smaller screen shows in place of others.</p>",
        ".m{display:none} @media (max-width:600px){.m{display:block}}",
    ),
    "for paper": page(
        "<p class=m>Words that stand on the pages of a print.</p>", ".m{display:none} @media print{.m{display:block}}"
    ),
    "after a click on its label": page(
        "<input type=radio id=t><div class=m>Words that another choice of a reader shows.</div>",
        ".m{display:none} #t:checked ~ .m{display:block}",
    ),
    "beyond a number of lines": page(
        "<div class=m>First.<br>Words that stand on the second of the lines.</div>",
        ".m{display:-webkit-box;-webkit-line-clamp:1;overflow:hidden}",
    ),
    "what fades in by a script": page(
        "<p style='opacity:0;transition:opacity 1s'>Words that a script lets fade in.</p>"
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_what_one_click_shows_is_withheld_without_an_alarm(tmp_path: Path, name: str) -> None:
    text, hidden, *_ = read(tmp_path, FOLDED[name])
    assert [piece.reason for piece in hidden] == ["folded"]
    assert hidden[0].text not in text
    assert paper_flags(text, hidden, []) == ["NO_VARIANCE_REPORTED"]


def test_white_paragraphs_over_a_picture_are_withheld_without_an_alarm(tmp_path: Path) -> None:
    body = "<div style='background:url(hero.jpg);color:#fff'><p>White words over a picture of a model.</p></div>"
    text, hidden, *_ = read(tmp_path, page(body))
    assert [piece.reason for piece in hidden] == ["over a picture"]
    assert paper_flags(text, hidden, []) == ["NO_VARIANCE_REPORTED"]


def test_a_page_under_a_cover_is_read_only_if_a_script_may_lift_it(tmp_path: Path) -> None:
    cover = "<div style='position:fixed;inset:0;background:#fff'></div>"
    assert PARAGRAPHS[0] in read(tmp_path, page(cover, head="<script>lift()</script>")).text
    with pytest.raises(UnreadableError, match="no article"):
        read(tmp_path, page(cover))


def test_a_part_of_a_page_that_is_seen_beside_what_is_hidden_is_no_page_that_loads(tmp_path: Path) -> None:
    """Six paragraphs are hidden and 30 words are seen: those stay hidden, whatever a script might do."""
    body = "<div class=on>" + "Words that are seen. " * 10 + "</div>"
    text, *_ = read(tmp_path, page(body, "article > *{display:none} .on{display:block}", "<script>x</script>"))
    assert PARAGRAPHS[0] not in text
    assert "Words that are seen." in text


@pytest.mark.parametrize(
    "sheet",
    [
        ":is(" * 100 + "p" + ")" * 100 + "{color:red}",
        "p>" * 50_000 + "p{color:red}",
        "p{" + "& &{" * 18 + "color:red" + "}" * 19,
    ],
)
def test_selectors_beyond_reason_leave_a_page_readable(tmp_path: Path, sheet: str) -> None:
    assert PARAGRAPHS[0] in read(tmp_path, page("", sheet)).text


# Where the end falls into the collection of garbage, Python says so and passes over it; the next one is heeded.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_style_sheets_that_take_too_long_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MOST_SECONDS", 0.3)
    body = "<div>" * 100 + "<p>Words.</p>" * 300
    with pytest.raises(UnreadableError, match="style sheets are too large") as raised:
        read(tmp_path, page(body, "div:has(div:has(q)) p{color:red}"))
    assert raised.value.kind == "styles"


def test_an_end_that_is_not_heeded_comes_again() -> None:
    """As where it falls into the collection of garbage, whose errors Python passes over."""
    with pytest.raises(UnreadableError, match="style sheets are too large"):
        _pass_over_the_first_end()


def _pass_over_the_first_end() -> None:
    with document._limited(0.05):
        with contextlib.suppress(UnreadableError):
            _spin(seconds=5.0)
        _spin(seconds=5.0)


def _spin(*, seconds: float) -> None:
    start = time.process_time()
    while time.process_time() < start + seconds:
        pass


@pytest.mark.parametrize(
    ("name", "value", "answer"),
    [
        ("display", "none", "valid"),
        ("display", "foo", "invalid"),
        ("color", "#ggg", "invalid"),
        ("color", "oklch(from black 1 c h)", "unclear"),
        ("font-size", "-1px", "invalid"),
        ("font-size", "calc(1px * sin(0))", "valid"),
        ("left", "anchor(right)", "unclear"),
        ("left", "5", "invalid"),
        ("transform", "scale(zip)", "invalid"),
        ("transform", "scale(0) rotate(3deg)", "valid"),
        ("filter", "alpha(opacity=50)", "invalid"),
        ("width", "-moz-available", "invalid"),
        ("opacity", "inherit", "valid"),
        ("z-index", "3 4", "invalid"),
    ],
)
def test_values_are_checked_by_the_grammar_of_their_property(name: str, value: str, answer: str) -> None:
    assert verdict(name, bare(written(value))) == answer


def test_a_rule_within_a_rule_leaves_the_article_alone(tmp_path: Path) -> None:
    text, hidden, *_ = read(tmp_path, page("", ".o{ p{display:none} }"))
    assert [paragraph for paragraph in PARAGRAPHS if paragraph not in text] == []
    assert hidden == []


def test_a_page_that_shows_one_part_of_what_it_hides_is_read_as_it_is_seen(tmp_path: Path) -> None:
    """The body is hidden and the paragraphs before the secret are shown again."""
    body = f'<p class="rest">{SECRET}</p>'
    text, hidden, *_ = read(tmp_path, page(body, "body{visibility:hidden} p:not(.rest){visibility:visible}"))
    assert [paragraph for paragraph in PARAGRAPHS if paragraph not in text] == []
    assert [piece.text for piece in hidden] == [SECRET]


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("", True),
        ("all", True),
        ("screen and (max-width: 1279px)", False),
        ("only screen and (min-width: 80em)", True),  # 80 x 16 = 1280
        ("print, screen", True),
        ("not print", True),
        ("not screen", False),
        ("(400px <= width < 1280px)", False),
        ("(width > 400px)", True),
        ("(orientation: landscape)", True),
        ("(prefers-color-scheme: dark)", False),
        ("(hover) and (pointer: fine)", True),
        ("(min-resolution: 2dppx)", False),
        ("(min-aspect-ratio: 3/2)", True),  # 1.6
        ("(max-width: 1px) or (min-width: 2px)", True),
        ("speech", False),
        ("not (unheard-of)", None),
        ("print and (unheard-of)", False),
        ("(unheard-of: 3)", None),
    ],
)
def test_media_queries_are_those_of_a_screen_of_1280_by_800(query: str, holds: bool | None) -> None:
    assert media_matches(query) is holds


@pytest.mark.parametrize(
    ("value", "pixels"),
    [
        ("12px", 12),
        ("1in", 96),
        ("3pt", 4),
        ("2em", 20),
        ("50%", 100),
        ("10vw", 128),
        ("calc(100% - 2 * 10px)", 180),
        ("calc((1px + 3px) / 2)", 2),
        ("max(1px, 2em)", 20),
        ("clamp(1px, 5px, 3px)", 3),
        ("auto", None),
        ("calc(1px / 0)", None),
    ],
)
def test_lengths_are_css_pixels(value: str, pixels: float | None) -> None:
    """With a font of 10 pixels, in a box of 200."""
    assert length(written(value), 10.0, 200.0) == pixels


@pytest.mark.parametrize(
    ("value", "shades"),
    [
        ("white", (1, 1, 1)),
        ("#f008", (1, 0, 0)),
        ("hsl(120 100% 50%)", (0, 1, 0)),
        ("lab(100% 0 0)", (1, 1, 1)),
        ("oklab(0 0 0)", (0, 0, 0)),
        ("color-mix(in srgb, white 25%, black)", (0.25, 0.25, 0.25)),
        ("color-mix(in srgb, white calc(3 * 10%), black 90%)", (0.25, 0.25, 0.25)),  # 30 of 120
        ("rgb(from red r g b / 50%)", (1, 0, 0)),
        ("light-dark(red, lime)", (1, 0, 0)),
    ],
)
def test_colours_of_all_notations(value: str, shades: tuple[float, float, float]) -> None:
    found = colour(written(value), BLACK)
    assert found is not None
    assert encoded(found.rgb) == pytest.approx(shades, abs=2e-3)
