"""`mechaware.claims`: how strong is a paper's evidence for the mechanism that it claims?"""

from mechaware.core.library import at_first_use

__all__ = ["read", "score"]
__getattr__, __dir__ = at_first_use(
    __name__, dict.fromkeys(__all__, "mechaware.doors.claims.library")
)
