"""A rubric is read from a file: what it has, what is refused, and the file of the 27 criteria."""

from pathlib import Path

import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, STATUSES
from mechaware.instruments.claims.rubric.rubric import Rubric, read_rubric

REPOSITORY = Path(__file__).resolve().parents[5]
REVIEW = """\
name: Code review
statuses: [bad, needs work, good]
criteria:
  - {code: names, name: Names, definition: Do names say what they hold?}
  - code: tests
    name: Tests
    definition: Does a test fail without the change?
    statuses: {good: One does.}
"""


def read_rubric_file(folder: Path, text: str) -> Rubric:
    path = folder / "rubric.yaml"
    path.write_text(text)
    return read_rubric(path)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(UserError) as refused:
        read_rubric_file(folder, text)
    return str(refused.value).removeprefix(f"{folder}/")


def test_a_rubric_has_statuses_in_rising_order_and_criteria_by_code(tmp_path: Path) -> None:
    rubric = read_rubric_file(tmp_path, REVIEW)

    assert [rubric.rank(status) for status in ("bad", "needs work", "good")] == [0, 1, 2]
    assert list(rubric.criteria) == ["names", "tests"]
    assert rubric.criteria["tests"].statuses == {"good": "One does."}


def test_guidance_and_explanations_of_statuses_may_be_missing(tmp_path: Path) -> None:
    rubric = read_rubric_file(tmp_path, REVIEW)

    assert rubric.guidance == ""
    assert rubric.criteria["names"].statuses == {}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Needs_Work", "needs work"),
        ("needs-work.", "needs work"),
        ("BAD", "bad"),
        ("not bad", None),
        ("", None),
    ],
)
def test_a_status_is_read_whatever_its_case_and_signs(
    tmp_path: Path, text: str, status: str | None
) -> None:
    assert read_rubric_file(tmp_path, REVIEW).status_named(text) == status


@pytest.mark.parametrize(
    ("good", "faulty", "message"),
    [
        pytest.param(
            "name: Code review\n",
            "",
            "rubric.yaml: key 'name' is missing; add it",
            id="no name",
        ),
        pytest.param(
            "code: tests",
            "code: names",
            "rubric.yaml: two criteria 'names'; rename or remove one of them",
            id="two criteria of one code",
        ),
        pytest.param(
            "good: One does.",
            "fine: One does.",
            "rubric.yaml, criterion tests: 'fine' is not among the statuses "
            "(bad, needs work, good); correct it",
            id="an unknown status",
        ),
        pytest.param(
            "[bad, needs work, good]",
            "[bad, needs work, Bad]",
            "rubric.yaml, statuses: 'bad' and 'Bad' differ only in case or punctuation; rename one",
            id="two statuses of one word",
        ),
        pytest.param(
            "[bad, needs work, good]",
            "[bad, good, Bad, Good]",
            "rubric.yaml, statuses: 'bad' and 'Bad' differ only in case or punctuation; rename one",
            id="two pairs of statuses of one word, of which the first is named",
        ),
        pytest.param(
            "[bad, needs work, good]",
            '[bad, "+"]',
            "rubric.yaml, statuses: '+' has no letter or digit; write a word",
            id="a status without letters",
        ),
        pytest.param(
            "code: names, name",
            "code: my names, name",
            "rubric.yaml, criteria/0/code: 'my names' does not fit; write: A code of letters, "
            "digits, dots, hyphens and underscores.",
            id="a code with a space",
        ),
    ],
)
def test_a_faulty_rubric_is_refused_in_one_line(
    tmp_path: Path, good: str, faulty: str, message: str
) -> None:
    assert good in REVIEW
    assert refusal(tmp_path, REVIEW.replace(good, faulty)) == message


# Table 1 of the paper.
PRINTED = (
    "C1 Falsifiability, C2 Structural plausibility, C3 Task specificity, C4 Minimality, "
    "C5 Convergent validity, "
    "I1 Necessity, I2 Sufficiency, I3 Specificity, I4 Consistency, I5 Confound control, "
    "M1 Reliability, M2 Invariance, M3 Baseline separation, M4 Sensitivity, M5 Calibration, "
    "M6 Construct coverage, "
    "E1 Intervention reach, E2 Graded response, E3 Selectivity, E4 Effect magnitude, "
    "E5 Robustness, E6 Cross-architecture, "
    "V1 Level declaration, V2 Level-evidence match, V3 Narrative coherence, "
    "V4 Alternative exclusion, V5 Scope honesty"
)


def test_the_27_criteria_are_those_of_the_papers_table_1_by_dimension() -> None:
    assert ", ".join(f"{code} {name}" for code, name in CRITERIA.items()) == PRINTED
    for dimension in DIMENSIONS:
        assert {code[0] for code in dimension.criteria} == {dimension.code}
    assert [len(dimension.criteria) for dimension in DIMENSIONS] == [5, 5, 6, 6, 5]


def test_the_27_criteria_are_a_rubric_with_the_definitions_that_judges_of_papers_get() -> None:
    rubric = read_rubric(REPOSITORY / "config/rubrics/cvs.yaml")
    guides = yaml.safe_load((REPOSITORY / "config/judge_prompts/v1/criteria.yaml").read_text())

    assert rubric.statuses == STATUSES
    assert list(rubric.criteria) == list(guides) == list(CRITERIA)
    for code, criterion in rubric.criteria.items():
        guide = guides[code]
        assert criterion.definition == guide["asks"]
        assert criterion.statuses == {
            "YES": guide["yes"],
            "PARTIAL": guide["partial"],
            "NO": guide["no"],
        }
