"""A paper of the user's own, by its file, address or arXiv identifier, and the id that it gets."""

import json
import re
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching.papers import FETCHED, _is_free_id, own_paper

# No id belongs to anything else.
NOTHING_TAKEN: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("location", "paper_id", "address"),
    [
        pytest.param(
            "2211.00593",
            "arxiv-2211.00593",
            "https://arxiv.org/pdf/2211.00593",
            id="an identifier",
        ),
        pytest.param(
            "arXiv:2211.00593v2",
            "arxiv-2211.00593v2",
            "https://arxiv.org/pdf/2211.00593v2",
            id="an identifier with arXiv and its version",
        ),
        pytest.param(
            "https://arxiv.org/abs/2211.00593",
            "arxiv-2211.00593",
            "https://arxiv.org/pdf/2211.00593",
            id="the page of the abstract",
        ),
        pytest.param(
            "https://arxiv.org/pdf/2211.00593v1.pdf",
            "arxiv-2211.00593v1",
            "https://arxiv.org/pdf/2211.00593v1",
            id="the PDF",
        ),
        pytest.param(
            "https://openreview.net/forum?id=NpsVSN6o4ul",
            "openreview-NpsVSN6o4ul",
            "https://openreview.net/pdf?id=NpsVSN6o4ul",
            id="a forum of OpenReview",
        ),
    ],
)
def test_a_paper_on_arxiv_or_openreview_is_fetched_as_pdf_and_named_by_its_identifier(
    location: str, paper_id: str, address: str
) -> None:
    paper = own_paper(location, NOTHING_TAKEN)

    assert paper.id == paper_id
    assert paper.source == "pdf"
    assert paper.location == address


def test_a_paper_on_arxiv_has_its_identifier_as_its_title() -> None:
    assert own_paper("2211.00593", NOTHING_TAKEN).title == "arXiv 2211.00593"


@pytest.mark.parametrize(
    ("location", "paper_id", "source", "title"),
    [
        pytest.param("https://example.org/a/Paper.PDF", "Paper", "pdf", "Paper.PDF", id="a PDF"),
        pytest.param("https://example.org/posts/heads", "heads", "html", "heads", id="a page"),
    ],
)
def test_a_paper_at_another_address_is_named_by_the_last_part_of_the_address(
    location: str, paper_id: str, source: str, title: str
) -> None:
    paper = own_paper(location, NOTHING_TAKEN)

    assert paper.id == paper_id
    assert paper.source == source
    assert paper.location == location
    assert paper.title == title


@pytest.mark.parametrize("name", ["2211.00593v1.pdf", "2211.00593.pdf", "hep-th/9901001.pdf"])
def test_a_file_name_that_looks_like_an_arxiv_paper_is_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UserError, match=f"^{re.escape(name)}: no such file"):
        own_paper(name, NOTHING_TAKEN)

    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"%PDF-1.7")
    paper = own_paper(name, NOTHING_TAKEN)
    assert paper.source == "file"
    assert paper.location == name


def test_a_file_with_the_name_of_an_identifier_is_refused_for_its_suffix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "2211.00593").write_bytes(b"%PDF-1.7")

    with pytest.raises(UserError, match=r"^2211\.00593: not one of \.pdf, \.html"):
        own_paper("2211.00593", NOTHING_TAKEN)

    assert (
        own_paper("arXiv:2211.00593", NOTHING_TAKEN).location == "https://arxiv.org/pdf/2211.00593"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("my paper (v2).pdf", "my-paper-v2", id="spaces and brackets"),
        pytest.param("\u00dcbersicht \u03a9.pdf", "Ubersicht", id="letters outside ASCII"),
        # Names that are taken: six digits of a hash of the path follow.
        pytest.param("summary.pdf", r"my-summary-[0-9a-f]{6}", id="a folder of results"),
        pytest.param("Summary.pdf", r"my-Summary-[0-9a-f]{6}", id="the folder in capitals"),
        pytest.param("lexical.pdf", r"my-lexical-[0-9a-f]{6}", id="a judge"),
        pytest.param("Lexical.pdf", r"my-Lexical-[0-9a-f]{6}", id="the judge in capitals"),
        pytest.param("planted-01.pdf", r"my-planted-01-[0-9a-f]{6}", id="a planted paper"),
        pytest.param("page.html.pdf", r"my-page\.html-[0-9a-f]{6}", id="a page of results"),
        # Names of files have at most 255 bytes, and those of logs and records begin with the id.
        pytest.param(f"{'x' * 240}.txt", r"my-x{90}-[0-9a-f]{6}", id="a long name"),
        pytest.param("\u03a9.txt", r"my-[0-9a-f]{6}", id="no letter of ASCII"),
    ],
)
def test_a_file_gives_an_id_that_is_free(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"%PDF-1.7")

    paper = own_paper(str(path), {"lexical"})

    assert re.fullmatch(expected, paper.id)
    assert _is_free_id(paper.id)
    assert paper.source == "file"
    assert paper.location == str(path)
    assert paper.title == name


def test_two_files_of_one_name_have_different_ids_and_keep_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/mine.txt", "b/mine.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A paper.")
    # The first was fetched before.
    FETCHED.mkdir(parents=True)
    record = {"steps": [{"parameters": {"source": "file", "location": "a/mine.txt"}}]}
    (FETCHED / "mine.provenance.json").write_text(json.dumps(record))

    assert own_paper("a/mine.txt", NOTHING_TAKEN).id == "mine"
    assert own_paper(str(tmp_path / "a/mine.txt"), NOTHING_TAKEN).id == "mine"

    other = own_paper("b/mine.txt", NOTHING_TAKEN).id
    assert re.fullmatch(r"my-mine-[0-9a-f]{6}", other)
    assert own_paper(str(tmp_path / "b/mine.txt"), NOTHING_TAKEN).id == other


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param(".", None, "a folder; name a file in it", id="a folder"),
        pytest.param("none.pdf", None, "no such file", id="no file"),
        pytest.param("paper.docx", b"PK", "not one of .pdf, .html", id="another format"),
        pytest.param("a{b}.txt", b"x", "a brace in the name", id="braces"),
    ],
)
def test_a_file_that_cannot_be_scored_is_refused(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)

    with pytest.raises(UserError, match=message) as caught:
        own_paper(str(tmp_path / name), NOTHING_TAKEN)
    assert "\n" not in str(caught.value)
