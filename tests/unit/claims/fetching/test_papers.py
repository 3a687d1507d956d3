"""The list of papers: good rows are read, bad ones are refused in one line that names the place."""

import re
from pathlib import Path

import pytest

from mechaware.claims.fetching.papers import COLUMNS, RESERVED, planted_ids, read_papers
from mechaware.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[4]
HEADER = ",".join(COLUMNS)


def written(folder: Path, *rows: str) -> Path:
    path = folder / "papers.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def test_the_papers_of_table_2_are_listed_with_their_identifiers_and_tiers() -> None:
    papers = read_papers(REPOSITORY / "config/papers.csv")
    assert {paper.location: (paper.expected_tier, paper.label_source) for paper in papers.values()} == {
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
    (paper,) = read_papers(written(tmp_path, 'mine,file,paper.pdf,"Heads, and how they copy",,')).values()
    assert (paper.id, paper.title, paper.expected_tier) == ("mine", "Heads, and how they copy", "")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a b,file,x.pdf,T,,", "id 'a b' cannot name a folder"),
        (f"{'x' * 101},file,x.pdf,T,,", "cannot name a folder here; use at most 100 letters"),
        ("../up,file,x.pdf,T,,", "cannot name a folder"),
        ("summary,file,x.pdf,T,,", "id 'summary' cannot name a folder"),
        ("planted-77,file,x.pdf,T,,", "id 'planted-77' cannot name a folder"),
        ("x,ftp,x.pdf,T,,", "source 'ftp'; write arxiv or openreview or pdf or html or file"),
        ("x,file,,T,,", "no location"),
        ("x,arxiv,2211.00593,,,", "no title"),
        ("x,file,x.pdf,T,Superb,", "expected_tier 'Superb'; write one of Proposed,"),
        ("x,file,x.pdf,One, two,Validated,me", "6 fields are needed; quote a field that holds a comma"),
        ("x,file,x.pdf", "6 fields are needed"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        read_papers(written(tmp_path, "good,file,x.pdf,T,,", row))
    assert message in str(error.value)
    assert "papers.csv, line 3" in str(error.value)


def test_no_paper_has_the_name_of_a_folder_that_a_rule_writes() -> None:
    rules = "".join(path.read_text() for path in (REPOSITORY / "rules").glob("*.smk"))
    assert set(re.findall(r"(?<!benchmarks/)results/claims/([\w-]+)(?=[/\"])", rules)) == set(RESERVED)


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="line 3: id 'x' stands twice"):
        read_papers(written(tmp_path, "x,file,x.pdf,T,,", "x,file,y.pdf,T,,"))


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_text("id,title\nx,T\n")
    with pytest.raises(UserError, match=f"line 1: the columns must be {HEADER}"):
        read_papers(path)


def test_a_file_of_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a CSV file in UTF-8"):
        read_papers(path)


def test_planted_papers_are_numbered_from_one() -> None:
    assert planted_ids(3) == ["planted-01", "planted-02", "planted-03"]
