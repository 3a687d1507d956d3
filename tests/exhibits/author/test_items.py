"""The author's audits as labelled items, the rubric of these items, and draws of them.

A criterion of an audit becomes an item if it has quotations and applies to the claim. The item's
label is the author's status.
"""

import re
from pathlib import Path

import pandas as pd
import yaml

from exhibits.author.extraction import AUDITS, AUGUST, QUOTATIONS, ListedFile
from exhibits.author.items import audit_items, by_counterpart, draw_items
from exhibits.claims import schemas
from mechaware.core.frames import read_csv

REPOSITORY = Path(__file__).resolve().parents[3]
# The status, or N/A, that each word of the audits stands for.
WORDS = pd.DataFrame(
    [(AUGUST, "PC", "PARTIAL"), (AUGUST, "D", "NO"), (AUGUST, "N/A", "N/A")],
    columns=["audit", "word", "status"],
)
# Two invented files in the layout of the author's, by path. I3 has no quotation, and I4 does not
# apply to the claim.
TEXTS = {
    "claims/ours.yaml": """
title: Copying
description: 'A head

  copies names.'
source: {citation: us2026}
claims:
  C1: {quotes: [{exact: "Head 3.2 copies\\n names."}, {exact: "It could fail."}]}
  I1: {quotes: [{exact: "Ablating it changes nothing."}]}
  I3: {quotes: []}
  I4: {quotes: [{exact: "One task."}]}
""",
    "audits/ours.yaml": """
criteria:
  C1: {status: PC}
  I1: {status: D}
  I3: {status: PC}
  I4: {status: N/A}
""",
}
FILES = [
    ListedFile(
        repository="author/audits",
        commit="abc",
        kind=AUDITS,
        claim="ours",
        file="audits/ours.yaml",
        sha256="",
    ),
    ListedFile(
        repository="author/audits",
        commit="abc",
        kind=QUOTATIONS,
        claim="ours",
        file="claims/ours.yaml",
        sha256="",
    ),
]


def test_an_item_has_one_quotation_per_line_and_the_status_as_its_label() -> None:
    items = audit_items(FILES, WORDS, lambda file: TEXTS[file.file])

    # Of the four criteria C1 and I1 become items.
    assert items.to_dict("records") == [
        {
            "id": "ours-C1",
            "group": "us2026",
            "criterion": "C1",
            "claim": "Copying. A head copies names.",
            "text": "Head 3.2 copies names.\nIt could fail.",
            "label": "PARTIAL",
        },
        {
            "id": "ours-I1",
            "group": "us2026",
            "criterion": "I1",
            "claim": "Copying. A head copies names.",
            "text": "Ablating it changes nothing.",
            "label": "NO",
        },
    ]


def test_only_items_with_a_counterpart_in_may_are_kept_under_the_code_of_may() -> None:
    """I1 of the audits, of August, is I2 of May; C1 of the audits has no counterpart here."""
    items = audit_items(FILES, WORDS, lambda file: TEXTS[file.file])
    mapping = pd.DataFrame(
        [("M6", "none", ""), ("E3", "none", ""), ("I2", "same", "I1")],
        columns=["criterion", "relation", "counterpart"],
    )
    renamed = by_counterpart(items, mapping)

    assert renamed[["id", "criterion", "label"]].values.tolist() == [["ours-I1", "I2", "NO"]]


def audit_criteria() -> list[dict[str, str]]:
    """The criteria of config/rubrics/audits.yaml, each with its code, name and definition."""
    return yaml.safe_load((REPOSITORY / "config/rubrics/audits.yaml").read_text())["criteria"]


def test_the_rubric_of_the_items_has_the_criteria_of_the_audits() -> None:
    path = REPOSITORY / "config/reported/claims_statuses.csv"
    statuses = read_csv(path, schemas.REPORTED_STATUSES)
    codes_of_august = statuses.loc[statuses["audit"] == AUGUST, "criterion"]

    codes = [criterion["code"] for criterion in audit_criteria()]

    assert sorted(codes) == sorted(set(codes_of_august))


def test_each_of_the_36_criteria_of_the_audits_asks_a_question_of_its_own() -> None:
    definitions = [criterion["definition"] for criterion in audit_criteria()]

    assert len(set(definitions)) == len(definitions) == 36
    for definition in definitions:
        assert re.fullmatch(r"[A-Z].*\?", definition)


def test_a_counterpart_has_the_name_that_its_rubric_gives_it() -> None:
    path = REPOSITORY / "config/reported/claims_mapping.csv"
    mapping = read_csv(path, schemas.REPORTED_MAPPING)
    mapped = mapping[mapping["relation"] != "none"]

    names = {criterion["code"]: criterion["name"] for criterion in audit_criteria()}

    assert mapped["counterpart"].map(names).tolist() == mapped["counterpart_name"].tolist()


def test_a_draw_has_the_requested_number_of_different_items_in_the_order_of_all_items() -> None:
    items = pd.DataFrame({"id": [f"item {number:02}" for number in range(20)]})
    drawn = draw_items(items, 7, seed=3)

    assert len(drawn) == drawn["id"].nunique() == 7
    assert list(drawn["id"]) == sorted(drawn["id"])
    # A random draw: not the first seven items, and other items with another seed.
    assert list(drawn["id"]) != list(items["id"][:7])
    assert not drawn.equals(draw_items(items, 7, seed=4))


def test_a_draw_of_more_items_than_exist_has_all_of_them() -> None:
    items = pd.DataFrame({"id": ["b", "a"]})
    assert list(draw_items(items, 3, seed=0)["id"]) == ["b", "a"]
