"""The lexical judge's audit lowers a component's status whose evidence is about the circuit."""

from mechaware.instruments.claims.judges.lexical import LexicalJudge
from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE
from tests.unit.instruments.claims.claims_by_hand import claim
from tests.unit.instruments.claims.judges.lexical.texts_by_hand import WORDS


def test_the_audit_downgrades_a_component_claim_whose_evidence_is_about_the_circuit() -> None:
    of_the_circuit = '"Head 9.9 is part of the circuit, which recovers 87%."'
    of_the_head = '"Scaling head 9.9 is gradual."'
    system = claim(
        "It copies.", ["9.9", "9.6", "10.0"], system=True, evidence={"I2": of_the_circuit}
    )
    component = claim(
        "It copies.",
        ["9.9"],
        system=False,
        evidence={"I2": of_the_circuit, "I1": of_the_circuit, "E2": of_the_head},
    )

    leaks = LexicalJudge("lexical", WORDS).propose_leaks([system, component])

    # I1 is not prone to leaks, and the evidence for E2 is the head's own.
    (leak,) = leaks
    assert leak.claim == 1
    assert leak.criterion == "I2"
    assert leak.before == "YES"
    assert leak.after == "NO"


def test_the_audit_reads_the_leak_prone_criteria_alone() -> None:
    everywhere = dict.fromkeys(CRITERIA, "The circuit does it.")
    component = claim("It copies.", ["9.9"], system=False, evidence=everywhere)

    leaks = LexicalJudge("lexical", WORDS).propose_leaks([component])

    assert [leak.criterion for leak in leaks] == list(LEAK_PRONE)
