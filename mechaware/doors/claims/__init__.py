"""`mechaware.claims`: how strong is a paper's evidence for the mechanism that it claims?"""

from mechaware.core.library import at_first_use

_MODULES = {
    "judge_by_rubric": "mechaware.doors.claims.by_rubric",
    "judge_card": "mechaware.doors.claims.judge_cards",
    "passages": "mechaware.doors.claims.library",
    "read": "mechaware.doors.claims.library",
    "score": "mechaware.doors.claims.library",
}
__all__ = ["judge_by_rubric", "judge_card", "passages", "read", "score"]
__getattr__, __dir__ = at_first_use(__name__, _MODULES)
