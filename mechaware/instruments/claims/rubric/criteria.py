"""The rubric of the CVS: 27 criteria in five dimensions, the levels of a dimension, and tiers.

A criterion has a status:

status     rank   value   letter
NO         0      0.0     N
PARTIAL    1      0.5     P
YES        2      1.0     Y
(missing)                 ?
"""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

from mechaware.core.library import CONFIG
from mechaware.instruments.claims.rubric.rubric import read_rubric

Status = Literal["NO", "PARTIAL", "YES"]
STATUSES: tuple[Status, ...] = ("NO", "PARTIAL", "YES")  # in rising order
RANK: Mapping[Status, int] = {status: rank for rank, status in enumerate(STATUSES)}
VALUE: Mapping[Status, float] = {status: rank / 2 for status, rank in RANK.items()}
# One letter for each status, so that 27 statuses fit a cell of a table.
_LETTERS: Mapping[Status | None, str] = {"NO": "N", "PARTIAL": "P", "YES": "Y", None: "?"}
_RANK_OF_LETTER = {_LETTERS[status]: float(rank) for status, rank in RANK.items()}
_RANK_OF_LETTER[_LETTERS[None]] = math.nan
# The codes and names of the 27 criteria are data, as in any rubric. What their statuses come to,
# the dimensions and tiers below, is code.
CVS_RUBRIC = read_rubric(CONFIG / "rubrics/cvs.yaml")
# The names of the criteria by code, in the order of the dimensions.
CRITERIA: Mapping[str, str] = {
    code: criterion.name for code, criterion in CVS_RUBRIC.criteria.items()
}


class Level(NamedTuple):
    """A score of a dimension, and what it requires: any one of the alternatives, and a least sum.

    An alternative gives the least status of each criterion that it names. The sum is over the
    values of all criteria of the dimension. Where the paper writes "requires X", the status is YES
    unless the paper names another status (our definition).
    """

    score: int
    any_of: tuple[Mapping[str, Status], ...]
    least_sum: float = 0.0


class Dimension(NamedTuple):
    """A validity dimension (section 3.3).

    - `weight`: of the dimension's score in the CVS.
    - `focus`: the question that the dimension answers.
    - `criteria`: names by code.
    - `levels`: in falling order of the score; a dimension that reaches no level scores 0.
    """

    code: str
    name: str
    weight: float
    focus: str
    criteria: Mapping[str, str]
    levels: tuple[Level, ...]


class Tier(NamedTuple):
    """An evidence tier, its short name for figures and tables, and its least CVS (section 3.4)."""

    name: str
    short: str
    boundary: float


def _criteria_of(dimension: str) -> Mapping[str, str]:
    """The names of a dimension's criteria, by code. Their codes begin with the dimension's code."""
    return {code: name for code, name in CRITERIA.items() if code.startswith(dimension)}


DIMENSIONS: tuple[Dimension, ...] = (
    Dimension(
        code="C",
        name="Construct",
        weight=1.5,
        focus="Is the claim well-formed?",
        criteria=_criteria_of("C"),
        levels=(
            Level(3, ({"C1": "YES", "C2": "YES", "C5": "YES"},)),
            Level(2, ({"C1": "YES", "C5": "PARTIAL"},)),
            Level(1, ({"C1": "YES"},)),
        ),
    ),
    Dimension(
        code="I",
        name="Internal",
        weight=1.5,
        focus="Is the evidence causally sound?",
        criteria=_criteria_of("I"),
        levels=(
            Level(3, ({"I1": "YES", "I2": "YES", "I3": "YES", "I5": "YES"},)),
            Level(2, ({"I1": "YES", "I2": "YES"},)),
            Level(1, ({"I1": "YES"}, {"I2": "YES"})),
        ),
    ),
    Dimension(
        code="M",
        name="Measurement",
        weight=1.0,
        focus="Are the metrics trustworthy?",
        criteria=_criteria_of("M"),
        levels=(
            Level(3, ({"M1": "YES", "M3": "YES", "M4": "YES", "M5": "YES"},)),
            Level(2, ({"M1": "YES", "M3": "YES"},)),
            # PARTIAL: compared with the full model only
            Level(1, ({"M3": "PARTIAL"},)),
        ),
    ),
    Dimension(
        code="E",
        name="External",
        weight=1.0,
        focus="Does it generalize?",
        criteria=_criteria_of("E"),
        levels=(
            Level(3, ({"E6": "YES"},), least_sum=4.0),
            Level(2, ({"E6": "YES"}, {"E5": "YES"})),
            # PARTIAL: any intervention, or observation under several conditions
            Level(1, ({"E1": "PARTIAL"},)),
        ),
    ),
    Dimension(
        code="V",
        name="Interpretive",
        weight=1.0,
        focus="Is the interpretation sound?",
        criteria=_criteria_of("V"),
        levels=(
            Level(3, ({"V1": "YES", "V2": "YES", "V3": "YES", "V4": "YES"},)),
            Level(2, ({"V2": "YES", "V3": "YES"},)),
            Level(1, ({"V3": "YES"},)),
        ),
    ),
)

TIERS: tuple[Tier, ...] = (
    Tier("Proposed", "Proposed", 0.0),
    Tier("Causally Suggestive", "Caus. Suggestive", 2.0),
    Tier("Mechanistically Supported", "Mech. Supported", 4.0),
    Tier("Triangulated", "Triangulated", 6.0),
    Tier("Validated", "Validated", 8.0),
)

# Criteria on which evidence of the whole system is most often credited to one of its parts (section
# 3.5).
LEAK_PRONE = ("I2", "I3", "I5", "E2", "E5")

# Metadata of a claim (section 3.1); the CVS does not use them.
DESCRIPTION_MODES = (
    "computational",
    "algorithmic",
    "representational",
    "implementational-functional",
    "implementational-connectomic",
    "implementational-topographic",
)
EVIDENCE_FAMILIES = (
    "causal",
    "structural",
    "representational",
    "behavioral",
    "information-theoretic",
)


def encode_statuses(statuses: Mapping[str, Status | None]) -> str:
    """A letter for each criterion's status, in the rubric's order: N, P or Y, or ? if missing."""
    return "".join(_LETTERS[statuses[code]] for code in CRITERIA)


def decode_ranks(letters: str) -> list[float]:
    """The rank of each status that `encode_statuses` wrote, 0 to 2; NaN for a missing status."""
    return [_RANK_OF_LETTER[letter] for letter in letters]


def tier_index(name: str) -> int:
    """The rank of a tier, from 0 for Proposed to 4 for Validated.

    Raises `ValueError` for another name.
    """
    return [tier.name for tier in TIERS].index(name)
