"""Texts on a circuit and one of its heads, and the lexical judge with a few search words."""

from collections.abc import Mapping

from mechaware.instruments.claims.judges.lexical import LexicalJudge
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Claim, PaperText, Run

CIRCUIT = (
    "We show that a circuit of three heads in Wren-90M finds the larger of two ages and moves it "
    "to the answer."
)
PART = "Head 7.4 copies the larger age to the last position."
PAPER_TEXT = PaperText(
    paper="p", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)
# Search words for three criteria; the others have a word that no text contains.
WORDS: Mapping[str, list[str]] = {code: ["zzz"] for code in CRITERIA} | {
    "I1": ["ablation", "drops", "accuracy", "necessary"],
    "I2": ["alone", "restores", "sufficient"],
    "E2": ["scaling", "strength"],
}


def make_paper(*, part: str = "", whole: str = "") -> str:
    """A paper with a claim on a circuit and one on head 7.4,
    and the text of its sections on the head and the rest.
    """
    return f"Abstract\n{CIRCUIT} {PART}\n\n2 Head 7.4\n{part}\n\n3 Results on the whole\n{whole}\n"


def judge_text(text: str) -> Run:
    return LexicalJudge("lexical", WORDS).extract(text, PAPER_TEXT, 0)


def circuit_and_part(text: str) -> tuple[Claim, Claim]:
    """The claims on the circuit and on its part."""
    circuit, part = judge_text(text).claims
    return circuit, part
