"""What a judge is worth belongs to a procedure: each deciding setting is part of it, and so are its
decisions.

The functions and constants that decide are replaced one by one in
`cases/test_supported_decisions.py`.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric import system_claims
from mechaware.verdicts.cases.supported.decisions import supported_decisions
from mechaware.verdicts.error_rates import find_error_rates, read_calibration
from mechaware.verdicts.procedure import (
    Procedure,
    differences,
    parse_procedure,
    read_procedures,
    write_procedures,
)
from mechaware.verdicts.supported import Judging, supported_procedure

REPOSITORY = Path(__file__).resolve().parents[3]
CALIBRATION = read_calibration(REPOSITORY / "config/calibration/judges.csv")
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
LEXICAL = JudgeSettings("lexical", "lexical")
MODEL = JudgeSettings("mine", "provider", model="openai/one", api_key_env="KEY")
SMALL = JudgeSettings("small", "embedded", model="small", mode="passages")
# As in config/config.yaml.
JUDGING = Judging(
    PROMPTS,
    runs=3,
    vote="minimum",
    claims_found="once",
    least_similarity=0.5,
    leak_audit=True,
    devils_advocate="none",
    max_pages=50,
    level=0.95,
)


@cache
def decisions_of(kind: str, mode: str) -> str:
    """The decisions of a kind of judge in a mode, with the committed prompts.

    They depend on no other setting of the judge. They are cached because deciding all cases takes a
    second.
    """
    return supported_decisions(JudgeSettings("any", kind, mode=mode), PROMPTS)  # type: ignore[arg-type]


@pytest.fixture
def known_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets judges that differ only in other settings share the decisions of their kind and mode."""

    def decisions(judge: JudgeSettings, prompts: Sequence[Path]) -> str:
        return decisions_of(judge.kind, judge.mode)

    monkeypatch.setattr("mechaware.verdicts.supported.supported_decisions", decisions)


@cache
def procedure_of(judge: JudgeSettings) -> Procedure:
    return supported_procedure(judge, JUDGING)


def missing(procedure: Procedure) -> str:
    return find_error_rates(procedure, CALIBRATION, size=None, text_length=20_000).missing


def test_the_committed_rates_are_of_the_default_procedure() -> None:
    assert procedure_of(LEXICAL).text in set(CALIBRATION["procedure"])
    assert missing(procedure_of(LEXICAL)) == ""


@pytest.mark.parametrize("judge", [LEXICAL, MODEL], ids=["lexical", "model"])
def test_a_procedure_is_read_as_it_was_written(judge: JudgeSettings) -> None:
    text = procedure_of(judge).text
    assert parse_procedure(text).text == text


def test_the_procedures_of_judges_are_read_as_they_were_written(tmp_path: Path) -> None:
    procedures = {"mine": procedure_of(MODEL), "lexical": procedure_of(LEXICAL)}
    write_procedures(procedures, tmp_path / "procedures.json")
    assert list(read_procedures(tmp_path / "procedures.json").items()) == list(procedures.items())


# Settings


@pytest.mark.usefixtures("known_decisions")
@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"runs": 5}, "runs is 5, measured at 3"),
        ({"vote": "median"}, "vote is median, measured at minimum"),
        ({"claims_found": "every_run"}, "claims_found is every_run, measured at once"),
        ({"least_similarity": 0.6}, "least_similarity is 0.6, measured at 0.5"),
        ({"leak_audit": False}, "leak_audit is False, measured at True"),
        ({"devils_advocate": "aggressive"}, "devils_advocate is aggressive, measured at none"),
        ({"max_pages": 10}, "max_pages is 10, measured at 50"),
        ({"level": 0.9}, "level is 0.9, measured at 0.95"),
    ],
)
def test_each_setting_of_the_runs_the_vote_and_the_audit_decides(
    change: dict[str, Any], difference: str
) -> None:
    procedure = supported_procedure(LEXICAL, JUDGING._replace(**change))
    assert missing(procedure) == f"not measured with this procedure: {difference}"


@pytest.mark.usefixtures("known_decisions")
def test_another_wording_of_a_prompt_is_another_procedure(tmp_path: Path) -> None:
    for path in PROMPTS:
        shutil.copy(path, tmp_path)
    copied = sorted(tmp_path.glob("*.*"))
    assert supported_procedure(LEXICAL, JUDGING._replace(prompts=copied)) == procedure_of(LEXICAL)

    with (tmp_path / "system.md").open("a") as stream:
        stream.write("Be strict.\n")
    changed = supported_procedure(LEXICAL, JUDGING._replace(prompts=copied))
    assert missing(changed).startswith("not measured with this procedure: prompts is ")


@pytest.mark.usefixtures("known_decisions")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "embedded"),
        ("model", "openai/two"),
        ("api_base", "https://example.org/v1"),
        ("temperature", 0.5),
        ("reasoning_effort", "high"),
        ("mode", "claim_by_claim"),
        ("max_tokens", 1000),
        ("structured_output", "none"),
        ("seed", "none"),
        ("max_claims", 3),
        ("context_tokens", 64_000),
    ],
)
def test_each_setting_of_a_language_model_on_which_replies_depend_decides(
    name: str, value: Any
) -> None:
    changed = supported_procedure(replace(MODEL, **{name: value}), JUDGING)
    before = getattr(MODEL, name)
    assert f"{name} is {value}, measured at {before}" in differences(changed, procedure_of(MODEL))


@pytest.mark.usefixtures("known_decisions")
def test_names_keys_prices_and_time_outs_decide_nothing() -> None:
    other = replace(
        MODEL,
        name="other",
        api_key_env="OTHER",
        timeout_s=9.0,
        attempts=1,
        max_cost_usd=1.0,
        usd_per_million_prompt_tokens=1.0,
        usd_per_million_completion_tokens=1.0,
    )
    assert supported_procedure(other, JUDGING) == procedure_of(MODEL)


@pytest.mark.usefixtures("known_decisions")
def test_other_weights_of_an_embedded_model_are_another_procedure() -> None:
    first = supported_procedure(SMALL, JUDGING, "ab")
    second = supported_procedure(SMALL, JUDGING, "cd")
    assert differences(first, second) == ["revision is ab, measured at cd"]


def test_every_file_of_a_users_own_package_is_part_of_the_procedure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "verdict_judges"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "words.txt").write_text("copies\n")
    mine = JudgeSettings("mine", "verdict_judges.MINE")
    before = supported_procedure(mine, JUDGING)
    assert supported_procedure(mine, JUDGING) == before

    (package / "words.txt").write_text("moves\n")
    (difference,) = differences(supported_procedure(mine, JUDGING), before)
    assert difference.startswith("package is ")


def test_a_changed_decision_leaves_no_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_claims, "MANY_COMPONENTS", 4)
    sentence = "it decides some of the committed cases otherwise than the measured one did"
    procedure = supported_procedure(LEXICAL, JUDGING)
    assert missing(procedure) == f"not measured with this procedure: {sentence}"
