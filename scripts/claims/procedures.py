"""The procedures of a run's judges, from the words of a command's flags."""

import json
from collections.abc import Mapping

from mechaware.instruments.claims.judges.settings import judge_settings
from mechaware.verdicts.procedure import Procedure
from mechaware.verdicts.supported import Judging, supported_procedure


def procedures_of(
    entries: Mapping[str, str], revisions: Mapping[str, str], judging: Judging
) -> dict[str, Procedure]:
    """By judge, its procedure. `entries` are those of config/judges.yaml as JSON; `revisions` of embedded models."""
    return {
        name: supported_procedure(
            judge_settings(name, json.loads(entry)), judging, revisions.get(name, "")
        )
        for name, entry in entries.items()
    }
