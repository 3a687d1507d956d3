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

    labels = {}
    for paper in papers.values():
        labels[paper.location] = (paper.expected_tier, paper.label_source)
    assert labels == {
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
    path = written(tmp_path, 'mine,file,paper.pdf,"Heads, and how they copy",,')

    (paper,) = read_papers(path).values()

    assert paper.id == "mine"
    assert paper.title == "Heads, and how they copy"
    assert paper.expected_tier == ""


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param("a b,file,x.pdf,T,,", "id 'a b' cannot name a folder", id="id with a space"),
        pytest.param(
            f"{'x' * 101},file,x.pdf,T,,",
            "cannot name a folder here; use at most 100 letters",
            id="long id",
        ),
        pytest.param(
            "summary,file,x.pdf,T,,",
            "id 'summary' cannot name a folder",
            id="id of a folder of results",
        ),
        pytest.param(
            "planted-77,file,x.pdf,T,,",
            "id 'planted-77' cannot name a folder",
            id="id of a planted paper",
        ),
        pytest.param("good,file,y.pdf,T,,", "id 'good' appears twice", id="id of another row"),
        pytest.param(
            "x,ftp,x.pdf,T,,",
            "source 'ftp'; write arxiv or openreview or pdf or html or file",
            id="another source",
        ),
        pytest.param("x,file,,T,,", "no location", id="no location"),
        pytest.param("x,arxiv,2211.00593,,,", "no title", id="no title"),
        pytest.param(
            "x,file,x.pdf,T,Superb,",
            "expected_tier 'Superb'; write one of Proposed,",
            id="another tier",
        ),
        pytest.param(
            "x,file,x.pdf,T", "6 fields are needed; add commas at the end", id="too few fields"
        ),
        pytest.param(
            'x,file,x.pdf,"A title, unclosed,,\ny,file,y.pdf,T,,',
            "unexpected end of data; close each",
            id="an open quote",
        ),
        pytest.param(
            "x,file,x.pdf,One, two,Validated,me",
            "more fields than columns; put a field with a comma in quotes",
            id="too many fields",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, row: str, message: str
) -> None:
    path = written(tmp_path, "good,file,x.pdf,T,,", row)

    with pytest.raises(UserError) as error:
        read_papers(path)

    assert message in str(error.value)
    assert "papers.csv, row 3" in str(error.value)


def test_no_paper_has_the_name_of_a_folder_that_a_rule_writes() -> None:
    written_by_rules = set()
    for path in (REPOSITORY / "rules").glob("*.smk"):
        pattern = r"(?<!benchmarks/)results/claims/(?!planted-)([\w-]+)(?=[/\"])"
        written_by_rules |= set(re.findall(pattern, path.read_text()))

    assert written_by_rules == set(RESERVED)


def test_a_file_of_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UserError, match=r"papers\.csv, row 1: not UTF-8"):
        read_papers(path)


def test_a_long_title_is_read_and_empty_rows_are_passed_over(tmp_path: Path) -> None:
    title = "Heads " * 40_000
    path = written(tmp_path, ",,,,,", f"mine,file,paper.pdf,{title},,", "", " ,,,,,")

    (paper,) = read_papers(path).values()

    assert paper.id == "mine"
    assert paper.title == title.strip()


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        pytest.param(
            HEADER.replace("title", "titel"),
            "mine,file,x.pdf,T,,",
            "no column 'title'",
            id="a column of another name",
        ),
        pytest.param(
            f"{HEADER},note",
            "mine,file,x.pdf,T,,,",
            "unknown column 'note'; the columns are id,source",
            id="a column more",
        ),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, header: str, row: str, message: str) -> None:
    path = tmp_path / "papers.csv"
    path.write_text(f"{header}\n{row}\n")

    with pytest.raises(UserError, match=message):
        read_papers(path)


def test_a_list_without_papers_is_empty(tmp_path: Path) -> None:
    assert read_papers(written(tmp_path)) == {}


# A paper of one's own, by its file, address or arXiv identifier


@pytest.mark.parametrize(
    ("location", "paper_id", "address"),
    [
        ("2211.00593", "arxiv-2211.00593", "https://arxiv.org/pdf/2211.00593"),
        ("arXiv:2211.00593v2", "arxiv-2211.00593v2", "https://arxiv.org/pdf/2211.00593v2"),
        (
            "https://arxiv.org/abs/2211.00593",
            "arxiv-2211.00593",
            "https://arxiv.org/pdf/2211.00593",
        ),
        (
            "https://arxiv.org/pdf/2211.00593v1.pdf",
            "arxiv-2211.00593v1",
            "https://arxiv.org/pdf/2211.00593v1",
        ),
        (
            "https://openreview.net/forum?id=NpsVSN6o4ul",
            "openreview-NpsVSN6o4ul",
            "https://openreview.net/pdf?id=NpsVSN6o4ul",
        ),
    ],
)
def test_a_paper_of_arxiv_or_openreview_is_its_pdf_and_has_its_identifier(
    location: str, paper_id: str, address: str
) -> None:
    paper = own_paper(location, ())

    assert paper.id == paper_id
    assert paper.source == "pdf"
    assert paper.location == address


def test_a_paper_of_arxiv_has_its_identifier_as_its_title() -> None:
    assert own_paper("2211.00593", ()).title == "arXiv 2211.00593"


@pytest.mark.parametrize(
    ("location", "paper_id", "source", "title"),
    [
        pytest.param("https://example.org/a/Paper.PDF", "Paper", "pdf", "Paper.PDF", id="a PDF"),
        pytest.param("https://example.org/posts/heads", "heads", "html", "heads", id="a page"),
    ],
)
def test_another_address_is_called_by_its_last_part(
    location: str, paper_id: str, source: str, title: str
) -> None:
    paper = own_paper(location, ())

    assert paper.id == paper_id
    assert paper.source == source
    assert paper.location == location
    assert paper.title == title


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
    assert paper.source == "file"
    assert paper.location == name


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
    assert paper.source == "file"
    assert paper.location == str(path)
    assert paper.title == name


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

    assert own_paper("a/mine.txt", ()).id == "mine"
    assert own_paper(str(tmp_path / "a/mine.txt"), ()).id == "mine"

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
