"""Mechanism-aware evaluation of language models: the library behind the workflow.

`__all__` here, in `mechaware.radar` and in `mechaware.claims` is the public interface
(docs/library.md). Everything else serves the workflow and may change with it.
"""

from mechaware.core.library import at_first_use

_MODULES = {
    "load": "mechaware.models.opening",
    "patch": "mechaware.doors.grounding",
    "passages": "mechaware.doors.grounding",
    "score_known": "mechaware.verdicts.known",
    "read_log": "mechaware.core.evaluation_log.library",
    "radar": "mechaware.doors.radar",
    "claims": "mechaware.doors.claims",
    "UserError": "mechaware.core.errors",
}
__all__ = [
    "UserError",
    "claims",
    "load",
    "passages",
    "patch",
    "radar",
    "read_log",
    "score_known",
]
__getattr__, __dir__ = at_first_use(__name__, _MODULES)
