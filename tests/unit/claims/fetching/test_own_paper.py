"""A paper by its file, address or arXiv identifier."""

import json
import re
from pathlib import Path

import pytest

from mechaware.claims.fetching.own_paper import FETCHED, own_paper
from mechaware.claims.fetching.papers import is_free_id
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
        ("\u00dcbersicht \u03a9.pdf", "Ubersicht"),
        # A folder of results/claims, a judge, a planted paper, a page: digits of a hash of the path follow.
        ("summary.pdf", r"my-summary-[0-9a-f]{6}"),
        ("lexical.pdf", r"my-lexical-[0-9a-f]{6}"),
        ("planted-01.pdf", r"my-planted-01-[0-9a-f]{6}"),
        ("page.html.pdf", r"my-page\.html-[0-9a-f]{6}"),
        # Names of files have at most 255 bytes, and logs and records are called by the id with more behind it.
        (f"{'x' * 240}.txt", r"my-x{90}-[0-9a-f]{6}"),
        ("\u03a9.txt", r"my-[0-9a-f]{6}"),
    ],
)
def test_a_file_gives_a_name_that_nothing_else_has(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"%PDF-1.7")
    paper = own_paper(str(path), {"lexical"})
    assert re.fullmatch(expected, paper.id)
    assert is_free_id(paper.id)
    assert (paper.source, paper.location, paper.title) == ("file", str(path), name)


def test_papers_of_one_name_have_an_id_each_and_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/mine.txt", "b/mine.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A paper.")
    FETCHED.mkdir(parents=True)
    record = {"steps": [{"parameters": {"source": "file", "location": "a/mine.txt"}}]}
    (FETCHED / "mine.provenance.json").write_text(json.dumps(record))
    assert own_paper("a/mine.txt", ()).id == own_paper(str(tmp_path / "a/mine.txt"), ()).id == "mine"
    other = own_paper("b/mine.txt", ()).id
    assert re.fullmatch(r"my-mine-[0-9a-f]{6}", other)
    assert own_paper(str(tmp_path / "b/mine.txt"), ()).id == other


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (".", None, "a folder; name a file in it"),
        ("none.pdf", None, "no such file"),
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
