"""The list of papers: good rows are read, bad rows are refused in one line that names the row."""

import re
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching.papers import (
    COLUMNS,
    RESERVED,
    read_papers,
)

REPOSITORY = Path(__file__).resolve().parents[5]
HEADER = ",".join(COLUMNS)


def written(folder: Path, *rows: str) -> Path:
    """A list of papers with the right header and these rows."""
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
    # FOLDER of "results/claims/FOLDER" and "results/claims/FOLDER/...". Folders of planted papers
    # have a prefix of their own, and benchmarks have the paths of results below benchmarks/.
    folder = re.compile(r"(?<!benchmarks/)results/claims/(?!planted-)([\w-]+)(?=[/\"])")

    written_by_rules = set()
    for path in (REPOSITORY / "rules").glob("*.smk"):
        written_by_rules |= set(folder.findall(path.read_text()))

    assert written_by_rules == set(RESERVED)


def test_a_list_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UserError, match=r"papers\.csv, row 1: not UTF-8"):
        read_papers(path)


def test_a_long_title_is_read_and_empty_rows_are_passed_over(tmp_path: Path) -> None:
    # 240,000 characters: Python's reader of CSV files takes at most 131,072 in a field by default.
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
