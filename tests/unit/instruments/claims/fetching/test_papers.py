"""The list of papers: good rows are read, bad ones are refused in one line that names the place."""

import json
import re
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching.papers import (
    COLUMNS,
    FETCHED,
    RESERVED,
    _is_free_id,
    own_paper,
    read_papers,
)

REPOSITORY = Path(__file__).resolve().parents[5]
HEADER = ",".join(COLUMNS)


def written(folder: Path, *rows: str) -> Path:
    path = folder / "papers.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def test_the_papers_of_table_2_are_listed_with_their_identifiers_and_tiers() -> None:
    papers = read_papers(REPOSITORY / "config/papers.csv")
    assert {
        paper.location: (paper.expected_tier, paper.label_source) for paper in papers.values()
    } == {
        "2211.00593": ("Mechanistically Supported", "Registry"),
        "2209.11895": ("Mechanistically Supported", "Registry"),
        "2310.04625": ("Mechanistically Supported", "Registry"),
        "2305.00586": ("Causally Suggestive", "Registry"),
        "2301.05217": ("Validated", "Expert"),
        "2210.13382": ("Causally Suggestive", "Expert"),
        "1607.06520": ("Proposed", "Expert"),
        "1909.03368": ("Proposed", "Expert"),
        "2312.09230": ("Causally Suggestive", "Expert"),
    }


def test_a_row_is_read_with_a_comma_in_its_title(tmp_path: Path) -> None:
    (paper,) = read_papers(
        written(tmp_path, 'mine,file,paper.pdf,"Heads, and how they copy",,')
    ).values()
    assert (paper.id, paper.title, paper.expected_tier) == ("mine", "Heads, and how they copy", "")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a b,file,x.pdf,T,,", "id 'a b' cannot name a folder"),
        (f"{'x' * 101},file,x.pdf,T,,", "cannot name a folder here; use at most 100 letters"),
        ("summary,file,x.pdf,T,,", "id 'summary' cannot name a folder"),
        ("planted-77,file,x.pdf,T,,", "id 'planted-77' cannot name a folder"),
        ("good,file,y.pdf,T,,", "id 'good' appears twice"),
        ("x,ftp,x.pdf,T,,", "source 'ftp'; write arxiv or openreview or pdf or html or file"),
        ("x,file,,T,,", "no location"),
        ("x,arxiv,2211.00593,,,", "no title"),
        ("x,file,x.pdf,T,Superb,", "expected_tier 'Superb'; write one of Proposed,"),
        ("x,file,x.pdf,T", "6 fields are needed; add commas at the end"),
        (
            'x,file,x.pdf,"A title, unclosed,,\ny,file,y.pdf,T,,',
            "unexpected end of data; close each",
        ),
        (
            "x,file,x.pdf,One, two,Validated,me",
            "more fields than columns; put a field with a comma in quotes",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, row: str, message: str
) -> None:
    with pytest.raises(UserError) as error:
        read_papers(written(tmp_path, "good,file,x.pdf,T,,", row))
    assert message in str(error.value)
    assert "papers.csv, row 3" in str(error.value)


def test_no_paper_has_the_name_of_a_folder_that_a_rule_writes() -> None:
    rules = "".join(path.read_text() for path in (REPOSITORY / "rules").glob("*.smk"))
    assert set(
        re.findall(r"(?<!benchmarks/)results/claims/(?!planted-)([\w-]+)(?=[/\"])", rules)
    ) == set(RESERVED)


def test_a_file_of_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match=r"papers\.csv, row 1: not UTF-8"):
        read_papers(path)


def test_a_long_title_is_read_and_empty_rows_are_passed_over(tmp_path: Path) -> None:
    title = "Heads " * 40_000
    path = written(tmp_path, ",,,,,", f"mine,file,paper.pdf,{title},,", "", " ,,,,,")
    (paper,) = read_papers(path).values()
    assert (paper.id, paper.title) == ("mine", title.strip())


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (HEADER.replace("title", "titel"), "no column 'title'"),
        (f"{HEADER},note", "unknown column 'note'; the columns are id,source"),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, header: str, message: str) -> None:
    path = tmp_path / "papers.csv"
    row = ",".join(["mine", "file", "x.pdf", "T", "", "", ""][: len(header.split(","))])
    path.write_text(f"{header}\n{row}\n")
    with pytest.raises(UserError, match=message):
        read_papers(path)


def test_a_list_without_papers_is_empty(tmp_path: Path) -> None:
    assert read_papers(written(tmp_path)) == {}


# A paper of one's own, by its file, address or arXiv identifier


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (
            "2211.00593",
            ("arxiv-2211.00593", "pdf", "https://arxiv.org/pdf/2211.00593", "arXiv 2211.00593"),
        ),
        (
            "arXiv:2211.00593v2",
            ("arxiv-2211.00593v2", "pdf", "https://arxiv.org/pdf/2211.00593v2", None),
        ),
        (
            "https://arxiv.org/abs/2211.00593",
            ("arxiv-2211.00593", "pdf", "https://arxiv.org/pdf/2211.00593", None),
        ),
        ("https://arxiv.org/pdf/2211.00593v1.pdf", ("arxiv-2211.00593v1", "pdf", None, None)),
        (
            "https://openreview.net/forum?id=NpsVSN6o4ul",
            ("openreview-NpsVSN6o4ul", "pdf", "https://openreview.net/pdf?id=NpsVSN6o4ul", None),
        ),
        (
            "https://example.org/a/Paper.PDF",
            ("Paper", "pdf", "https://example.org/a/Paper.PDF", "Paper.PDF"),
        ),
        (
            "https://example.org/posts/heads",
            ("heads", "html", "https://example.org/posts/heads", "heads"),
        ),
    ],
)
def test_an_address_says_source_and_name(location: str, expected: tuple[str | None, ...]) -> None:
    paper = own_paper(location, ())
    for found, wanted in zip(
        (paper.id, paper.source, paper.location, paper.title), expected, strict=True
    ):
        assert wanted is None or found == wanted


@pytest.mark.parametrize("name", ["2211.00593v1.pdf", "2211.00593.pdf", "hep-th/9901001.pdf"])
def test_a_file_with_the_name_that_arxiv_gave_it_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=f"^{re.escape(name)}: no such file"):
        own_paper(name, ())

    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"%PDF-1.7")
    paper = own_paper(name, ())
    assert (paper.source, paper.location) == ("file", name)


def test_a_file_called_like_an_identifier_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "2211.00593").write_bytes(b"%PDF-1.7")
    with pytest.raises(UserError, match=r"^2211\.00593: not one of \.pdf, \.html"):
        own_paper("2211.00593", ())
    assert own_paper("arXiv:2211.00593", ()).location == "https://arxiv.org/pdf/2211.00593"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my paper (v2).pdf", "my-paper-v2"),
        ("\u00dcbersicht \u03a9.pdf", "Ubersicht"),
        # A folder of results/claims, a judge, a planted paper, a page: digits of a hash of the path follow.
        ("summary.pdf", r"my-summary-[0-9a-f]{6}"),
        ("lexical.pdf", r"my-lexical-[0-9a-f]{6}"),
        ("Lexical.pdf", r"my-Lexical-[0-9a-f]{6}"),
        ("Summary.pdf", r"my-Summary-[0-9a-f]{6}"),
        ("planted-01.pdf", r"my-planted-01-[0-9a-f]{6}"),
        ("page.html.pdf", r"my-page\.html-[0-9a-f]{6}"),
        # Names of files have at most 255 bytes, and logs and records are called by the id with more behind it.
        (f"{'x' * 240}.txt", r"my-x{90}-[0-9a-f]{6}"),
        ("\u03a9.txt", r"my-[0-9a-f]{6}"),
    ],
)
def test_a_file_gives_a_name_that_nothing_else_has(
    tmp_path: Path, name: str, expected: str
) -> None:
    path = tmp_path / name
    path.write_bytes(b"%PDF-1.7")
    paper = own_paper(str(path), {"lexical"})
    assert re.fullmatch(expected, paper.id)
    assert _is_free_id(paper.id)
    assert (paper.source, paper.location, paper.title) == ("file", str(path), name)


def test_papers_of_one_name_have_an_id_each_and_keep_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/mine.txt", "b/mine.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A paper.")
    FETCHED.mkdir(parents=True)
    record = {"steps": [{"parameters": {"source": "file", "location": "a/mine.txt"}}]}
    (FETCHED / "mine.provenance.json").write_text(json.dumps(record))
    assert (
        own_paper("a/mine.txt", ()).id == own_paper(str(tmp_path / "a/mine.txt"), ()).id == "mine"
    )
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
