"""The digest of what the code that judges papers decides on the committed cases of this folder.

A changed decision of that code changes the digest.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechaware.instruments.claims.judges.kinds import KINDS
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.verdicts.cases.supported.audits import audit_outcomes
from mechaware.verdicts.cases.supported.by_models import reply_outcomes
from mechaware.verdicts.cases.supported.by_rules import rule_outcomes
from mechaware.verdicts.cases.supported.pages import page_outcomes
from mechaware.verdicts.cases.supported.rubric import rubric_outcomes
from mechaware.verdicts.cases.supported.support import lead_outcomes, support_outcomes
from mechaware.verdicts.cases.supported.votes import vote_outcomes
from mechaware.verdicts.procedure import digest


def supported_decisions(judge: JudgeSettings, prompts: Sequence[Path]) -> str:
    """The digest of what is decided on the committed cases.

    The cases are decided by the reader of PDFs, the rubric, the vote, the audit, the finding of
    support, the comparison of a judge with constant answers, and this kind of judge. A judge of the
    user's own kind is not asked: it may ask a provider.

    Args:
        judge: The settings of the judge.
        prompts: The files of one version of the judges' prompts.
    """
    shared = [
        page_outcomes(),
        rubric_outcomes(),
        vote_outcomes(),
        audit_outcomes(),
        support_outcomes(),
        lead_outcomes(),
    ]

    judged: list[Any] = []
    if judge.kind in KINDS:
        outcomes_by = rule_outcomes if KINDS[judge.kind].by_rules else reply_outcomes
        judged = outcomes_by(judge, prompts)
    return digest([*shared, judged])
