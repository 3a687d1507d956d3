"""A paper by its file, address or arXiv identifier."""

import json
import re
from pathlib import Path

import pytest

from mechaware.claims.fetching.own_paper import FETCHED, own_paper
from mechaware.errors import UserError


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("2211.00593", ("arxiv-2211.00593", "pdf", "https://arxiv.org/pdf/2211.00593", "arXiv 2211.00593")),
        ("arXiv:2211.00593v2", ("arxiv-2211.00593v2", "pdf", "https://arxiv.org/pdf/2211.00593v2", None)),
        ("https://arxiv.org/abs/2211.00593", ("arxiv-2211.00593", "pdf", "https://arxiv.org/pdf/2211.00593", None)),
        ("https://arxiv.org/pdf/2211.00593v1.pdf", ("arxiv-2211.00593v1", "pdf", None, None)),
        (
            "https://openreview.net/forum?id=NpsVSN6o4ul",
            ("openreview-NpsVSN6o4ul", "pdf", "https://openreview.net/pdf?id=NpsVSN6o4ul", None),
        ),
        ("https://example.org/a/Paper.PDF", ("Paper", "pdf", "https://example.org/a/Paper.PDF", "Paper.PDF")),
        ("https://example.org/posts/heads", ("heads", "html", "https://example.org/posts/heads", "heads")),
    ],
)
def test_an_address_says_source_and_name(location: str, expected: tuple[str | None, ...]) -> None:
    paper = own_paper(location, ())
    for found, wanted in zip((paper.id, paper.source, paper.location, paper.title), expected, strict=True):
        assert wanted is None or found == wanted


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my paper (v2).pdf", "my-paper-v2"),
        ("summary.pdf", "my-summary"),  # a folder of results/claims
        ("lexical.pdf", "my-lexical"),  # a judge
        ("planted-01.pdf", "my-planted-01"),
        ("page.html.pdf", "my-page-html"),
        ("trust.txt", "my-trust"),
        ("\u00dcbersicht \u03a9.pdf", "Ubersicht"),
    ],
)
def test_a_file_gives_a_name_that_nothing_else_has(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"%PDF-1.7")
    paper = own_paper(str(path), {"lexical"})
    assert (paper.id, paper.source, paper.location, paper.title) == (expected, "file", str(path), name)


def test_papers_of_one_name_have_an_id_each_and_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/mine.txt", "b/mine.txt", "\u03a9.txt", "\u03a8.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A paper.")
    FETCHED.mkdir(parents=True)
    record = {"steps": [{"parameters": {"source": "file", "location": "a/mine.txt"}}]}
    (FETCHED / "mine.provenance.json").write_text(json.dumps(record))
    assert own_paper("a/mine.txt", ()).id == own_paper(str(tmp_path / "a/mine.txt"), ()).id == "mine"
    other = own_paper("b/mine.txt", ()).id
    assert re.fullmatch(r"mine-[0-9a-f]{6}", other)
    assert own_paper(str(tmp_path / "b/mine.txt"), ()).id == other
    nameless = [own_paper(name, ()).id for name in ("\u03a9.txt", "\u03a8.txt")]
    assert all(re.fullmatch(r"paper-[0-9a-f]{6}", name) for name in nameless)
    assert len(set(nameless)) == 2


def test_a_long_name_gives_an_id_that_can_name_files(tmp_path: Path) -> None:
    """Names of files have at most 255 bytes, and logs and records are called by the id with more behind it."""
    ids = []
    for end in "yz":
        path = tmp_path / f"{'x' * 240}{end}.txt"
        path.write_text("A paper.")
        ids.append(own_paper(str(path), ()).id)
    assert len(set(ids)) == 2
    assert all(re.fullmatch(r"x{93}-[0-9a-f]{6}", one) for one in ids)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be opened"):
        own_paper(str(tmp_path / f"{'x' * 300}.txt"), ())


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a folder; name a file in it"):
        own_paper(str(tmp_path), ())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.pdf", None, "no such file"),
        ("page.pdf", b"<html>", "not a PDF, although it is named one"),
        ("paper.docx", b"PK", "not one of .pdf, .html"),
        ("a{b}.txt", b"x", "a brace in the name"),
    ],
)
def test_a_file_that_cannot_be_scored_is_refused(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        own_paper(str(tmp_path / name), ())
    assert "\n" not in str(caught.value)
