"""The author's statuses and verdicts: reading his files, and the committed tables made of them."""

import hashlib
from pathlib import Path

import pytest

from exhibits.author.extraction import (
    AUGUST,
    MAY,
    PAGES,
    AuditReading,
    ListedFile,
    audit_statuses,
    audit_verdicts,
    extract,
    page_statuses,
)
from exhibits.claims import schemas
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.rubric.criteria import CRITERIA

REPORTED = Path(__file__).resolve().parents[3] / "config/reported"
STATUSES = read_csv(REPORTED / "claims_statuses.csv", schemas.REPORTED_STATUSES)
VERDICTS = read_csv(REPORTED / "claims_verdicts.csv", schemas.REPORTED_VERDICTS)
FILES = read_csv(REPORTED / "claims_files.csv", schemas.REPORTED_FILES)
WORDS = read_csv(REPORTED / "claims_words.csv", schemas.REPORTED_WORDS)
MAPPING = read_csv(REPORTED / "claims_mapping.csv", schemas.REPORTED_MAPPING)
# A page and an audit of our own, in the layout of the author's files.
PAGE = """
**[C1 — Falsifiability:](/criteria/falsifiability) Implicit pass.** The claim names a head.

**[M5 — Calibration:](/criteria/calibration) Not reported.**

**[E6 — Cross-architecture:](/criteria/cross) Weak — the gap.** **Bold** again. Pass.

- **[I1 — Necessity](/criteria/necessity)** in a list is no label.
"""
AUDIT = """
claim: ours
readings:
- {statement: A head copies names, verdict: "Mech.\\\\ Supported", primary: true}
- {statement: Heads copy names, verdict: Underdetermined, primary: false}
criteria:
  C1: {name: Falsifiability, status: C}
  I12: {name: Offset coupling, status: N/A}
"""


def test_a_page_has_a_word_for_each_criterion() -> None:
    assert page_statuses(PAGE) == {
        "C1": "Implicit pass",
        "M5": "Not reported",
        "E6": "Weak — the gap",
    }


def test_an_audit_has_statuses_and_a_verdict_for_each_reading() -> None:
    assert audit_statuses(AUDIT) == {"C1": "C", "I12": "N/A"}
    assert list(audit_verdicts(AUDIT)) == [
        AuditReading(1, primary=True, verdict="Mechanistically Supported"),
        AuditReading(2, primary=False, verdict="Underdetermined"),
    ]


def test_only_the_listed_version_of_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    digest = hashlib.sha256(PAGE.encode()).hexdigest()
    listed = ListedFile(
        repository="author/pages",
        commit="abcdef0123",
        kind=PAGES,
        claim="ours",
        file="page.md",
        sha256=digest,
    )
    statuses, verdicts = extract([listed], {"author/pages": tmp_path})

    assert statuses[["audit", "claim", "criterion", "word", "commit"]].values.tolist() == [
        [MAY, "ours", "C1", "Implicit pass", "abcdef0"],
        [MAY, "ours", "M5", "Not reported", "abcdef0"],
        [MAY, "ours", "E6", "Weak — the gap", "abcdef0"],
    ]
    assert verdicts.empty  # a page has none

    (tmp_path / "page.md").write_text(PAGE + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"page\.md: not the version that is listed; check out"):
        extract([listed], {"author/pages": tmp_path})
    with pytest.raises(UserError, match=r"page\.md: no such file; check out commit abcdef0123"):
        extract([listed], {"author/pages": tmp_path / "elsewhere"})


def test_the_table_of_statuses_has_every_claim_and_criterion() -> None:
    """13 pages of May with 27 criteria each, and 16 audits of August with 36 each."""
    counts = STATUSES.groupby("audit").size()
    assert counts.to_dict() == {MAY: 13 * 27, AUGUST: 16 * 36}

    statuses_of_may = STATUSES[STATUSES["audit"] == MAY]
    for _, page in statuses_of_may.groupby("claim"):
        assert set(page["criterion"]) == set(CRITERIA)

    # Counted in the author's repository, each status by a command like that for PC:
    # git grep -hE "^    status: PC$" 33f18fd -- audits | wc -l
    words_of_august = STATUSES.loc[STATUSES["audit"] == AUGUST, "word"]
    assert words_of_august.value_counts().to_dict() == {
        "PC": 262,
        "C": 132,
        "U": 131,
        "I": 20,
        "D": 16,
        "N/A": 15,
    }


def test_the_table_of_verdicts_has_every_reading_and_a_primary_one_of_each_audit() -> None:
    # 15 audits have four readings; the audit of SAE features has three.
    assert len(VERDICTS) == 15 * 4 + 3
    assert VERDICTS.groupby("claim")["primary"].sum().tolist() == [1] * 16


def test_the_statuses_are_from_the_listed_files_that_are_no_quotations() -> None:
    assert FILES["sha256"].is_unique
    assert set(STATUSES["file"]) == set(FILES.loc[FILES["kind"] != "quotations", "file"])


# Read by hand on the pages and in the audits, at the listed commits.
@pytest.mark.parametrize(
    ("audit", "claim", "criterion", "word"),
    [
        (MAY, "ioi", "C1", "Implicit pass"),
        (MAY, "ioi", "I2", "Pass (method-conditional)"),
        (MAY, "ioi", "V4", "Weak"),
        (MAY, "gender-bias", "E2", "Sometimes"),
        (MAY, "superposition", "E6", "The critical gap"),
        (MAY, "successor-heads", "C3", "N/A (honest scope — general purpose)"),
        (MAY, "copy-suppression", "M5", "Not reported"),
        (AUGUST, "ioi", "C1", "C"),
        (AUGUST, "ioi", "C2", "PC"),
        (AUGUST, "ioi", "C4", "I"),
    ],
)
def test_a_tabled_status_is_the_word_in_the_authors_file(
    audit: str, claim: str, criterion: str, word: str
) -> None:
    row = STATUSES.query("audit == @audit and claim == @claim and criterion == @criterion")
    assert row["word"].tolist() == [word]


@pytest.mark.parametrize(
    ("claim", "reading", "verdict"),
    [
        ("ioi", 1, "Causally Suggestive"),
        ("ioi", 3, "Disconfirmed"),
        ("induction", 2, "Mechanistically Supported"),  # "Mech. Supported" in the audit
        ("induction_broad", 1, "Disconfirmed"),
    ],
)
def test_a_tabled_verdict_is_the_verdict_of_its_reading(
    claim: str, reading: int, verdict: str
) -> None:
    row = VERDICTS.query("claim == @claim and reading == @reading")
    assert row["verdict"].tolist() == [verdict]


def test_every_word_has_one_status() -> None:
    assert not WORDS.duplicated(["audit", "word"]).any()

    used = STATUSES[["audit", "word"]].drop_duplicates()
    assert len(used.merge(WORDS, on=["audit", "word"])) == len(used) == len(WORDS)
    assert set(WORDS["status"]) == {"YES", "PARTIAL", "NO", "N/A"}


def test_23_criteria_have_a_counterpart_of_their_own_and_four_have_none() -> None:
    assert MAPPING["criterion"].tolist() == list(CRITERIA)
    assert MAPPING["relation"].value_counts().to_dict() == {"same": 17, "near": 6, "none": 4}
    assert MAPPING.loc[MAPPING["relation"] == "none", "criterion"].tolist() == [
        "M6",
        "E3",
        "E4",
        "V3",
    ]

    mapped = MAPPING.loc[MAPPING["relation"] != "none", "counterpart"]
    assert mapped.is_unique
    assert set(mapped) <= set(STATUSES.loc[STATUSES["audit"] == AUGUST, "criterion"])
