"""Entries of papers whose scores are computed by hand, with hostile text among their claims."""

from collections.abc import Sequence

from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import (
    Audited,
    Claim,
    Downgrade,
    Dropped,
    Fault,
    HiddenText,
    Judgement,
    PaperText,
    Scores,
    Usage,
    Voted,
)
from mechaware.instruments.claims.rubric.scoring import score_claim
from mechaware.verdicts.paper.entries import Entry, Records

HOSTILE = (
    "<script>window.owned = 1</script></script></style>"
    '<img src="https://example.org/x" onerror="window.owned = 2">'
    '"\'><a href="javascript:window.owned = 3">paper</a> {{ 7 * 7 }} & \u202e\x00 end'
)
# On the second claim of a paper, which is `HEADS`.
LEAK = Downgrade(
    claim=1,
    criterion="E2",
    before="PARTIAL",
    after="NO",
    reason="the curve is [the circuit's], no head's",
)

GUIDES = {}
for _code in CRITERIA:
    GUIDES[_code] = Guide(
        asks=f"Asks {_code}?",
        yes=f"Met {_code}.",
        partial="Partly.",
        no="Unmet.",
        brief="",
        terms=[],
    )


def judged(**changed: Judgement) -> dict[str, Judgement]:
    """27 judgements: NO on all criteria but those named."""
    return dict.fromkeys(CRITERIA, Judgement(status="NO", votes=["NO", "NO"])) | changed


# The circuit's claim: YES on C1, I1, M3 and V3, PARTIAL on C5, E6 unscored, NO on the other 21.
CIRCUIT = Claim(
    statement="A circuit of five heads finds the name.",
    description_mode="algorithmic",
    evidence_families=["causal"],
    components=["9.9", "9.6"],
    criteria=judged(
        C1=Judgement(
            status="YES",
            evidence="Says “the heads copy the name” and “a line that nobody wrote”.",
            quotes=[(1204, 1226), None],
            votes=["YES", "YES"],
        ),
        C5=Judgement(
            status="PARTIAL",
            evidence="[MIN-VOTE: YES→PARTIAL across 2 of 3 runs] Two families.",
            votes=["PARTIAL", "YES"],
        ),
        I1=Judgement(status="YES", evidence="Ablation.", votes=["YES", "YES"]),
        M3=Judgement(status="YES", votes=["YES", "YES"]),
        V3=Judgement(status="YES", votes=["YES", "YES"]),
        E6=Judgement(status=None, evidence="cut", votes=[None, None]),
    ),
    system=True,
    runs=[0, None, 1],
)
# The heads' claim has 26 NO and one YES.
HEADS = Claim(
    statement=HOSTILE,
    description_mode="representational",
    evidence_families=[],
    components=["<b>9.9</b>"],
    criteria=judged(
        V3=Judgement(status="YES", evidence=HOSTILE, votes=["YES", "YES"]),
        E2=Judgement(
            status="NO",
            evidence=f"[LEAK-AUDIT: PARTIAL→NO, {LEAK.reason}] "
            "[MIN-VOTE: YES→PARTIAL across 3 runs] The effect grows.",
            votes=["PARTIAL", "YES"],
        ),
    ),
    system=False,
    runs=[1, None, 0],
)
HEADS_SCORED = score_claim(HEADS)


def entry(
    paper: str,
    title: str,
    claims: list[Claim],
    *,
    judge: str = "strict",
    fault: Fault | None = None,
    content: str = "",
    notes: Sequence[str] = (),
) -> Entry:
    """A paper after three runs. The first claim is its main claim; without claims it has no score.

    The paper "plain" has an expected tier. A second claim is lowered by `LEAK`.
    """
    usage = Usage(calls=3, prompt_tokens=12345, completion_tokens=678, cost=None)
    scores = Scores(
        judge=judge,
        paper=paper,
        claims=claims,
        scored=[score_claim(claim) for claim in claims],
        main=None,
        cvs=None,
        tier=None,
        single_runs=[],
        voted=None,
        usage=usage,
        fault=fault,
    )
    voted = Voted(
        judge=judge,
        paper=paper,
        runs=3,
        scored_runs=[],
        claims=claims,
        fault=fault,
        dropped=[],
        notes=list(notes),
    )
    audited = Audited(
        judge=judge,
        paper=paper,
        claims=claims,
        downgrades=[LEAK] if len(claims) > 1 else [],
        usage=usage,
        fault=fault,
    )
    text = PaperText(
        paper=paper,
        pages=4,
        pages_read=4,
        truncated=False,
        characters=20480,
        flags=[],
        hidden=[],
        fault=fault,
        page_starts=[0, 900],
    )

    if claims:
        first = scores.scored[0]
        scores = scores.model_copy(
            update={
                "main": 0,
                "cvs": first.cvs,
                "tier": first.tier,
                "single_runs": [3.9, None, 4.2],
                "voted": first.cvs,
            }
        )
        dropped = [Dropped(run=1, statement="Head 3.0 <i>does</i> all.")]
        voted = voted.model_copy(update={"scored_runs": [0, 1, 2], "dropped": dropped})
        hidden = [HiddenText(page=2, reason="not visible", text=HOSTILE)]
        flags = ["NO_VARIANCE_REPORTED", "HIDDEN_TEXT"]
        text = text.model_copy(update={"flags": flags, "hidden": hidden})

    return Entry(
        title=title,
        note=paper,
        expected="Mechanistically Supported" if paper == "plain" else None,
        label_source="Registry",
        rules=False,
        trust="not tested on planted papers",
        content=content,
        truth={},
        scores=scores,
        voted=voted,
        audited=audited,
        text=text,
    )


def records_of(made: Entry) -> Records:
    """The records from which an entry was made."""
    return Records(made.scores, made.voted, made.audited, made.text)


def entries() -> list[Entry]:
    fault = Fault(kind="encrypted", message="the file asks for a password")
    return [
        entry("plain", "A plain paper", [CIRCUIT, HEADS]),
        entry("hostile", HOSTILE, [CIRCUIT]),
        entry("locked", "A locked paper", [], fault=fault),
    ]


# The quote of CIRCUIT's C1, characters 1204 to 1226, is "the heads copy the nam" here.
TEXT = f"Abstract\n{'x' * 900}\n# Method\n{'y' * 285}the heads copy the name, and {HOSTILE}"
BY_MODEL = entry("mine", "Judge A", [CIRCUIT, HEADS], judge="a", content=TEXT)
BY_RULES = BY_MODEL._replace(
    title="Rules", rules=True, trust="tier right on 3 of 11 planted papers"
)
