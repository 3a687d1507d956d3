"""The judges of config/judges.yaml: their settings, and that every kind opens as a judge."""

from pathlib import Path

import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.kinds import KINDS
from mechaware.instruments.claims.judges.language_model.calls.provider import price_at_most
from mechaware.instruments.claims.judges.settings import JudgeSettings, judge_settings

REPOSITORY = Path(__file__).resolve().parents[5]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").iterdir())


def test_the_config_may_name_every_kind_that_can_be_opened() -> None:
    schema = yaml.safe_load((REPOSITORY / "config/schema.yaml").read_text())
    properties = schema["$defs"]["judges"]["additionalProperties"]["properties"]
    assert properties["kind"]["else"]["enum"] == list(KINDS)


def test_an_entry_becomes_settings_without_its_label() -> None:
    assert judge_settings("lexical", {"kind": "lexical", "label": "Rules"}) == JudgeSettings(
        "lexical", "lexical"
    )


def test_a_whole_number_in_an_entry_is_the_same_request_as_its_float() -> None:
    entry = {"kind": "provider", "model": "m", "temperature": 0, "timeout_s": 60, "max_cost_usd": 5}
    read = judge_settings("whole", entry)
    assert repr(read.temperature) == "0.0"
    assert repr(read.timeout_s) == "60.0"
    assert repr(read.max_cost_usd) == "5.0"


def test_half_a_price_is_refused() -> None:
    entry = {"kind": "provider", "model": "m", "usd_per_million_prompt_tokens": 1.0}

    with pytest.raises(UserError, match="give both"):
        judge_settings("half", entry)


def test_every_entry_of_the_repository_is_a_judge_whose_cost_is_known() -> None:
    entries = yaml.safe_load((REPOSITORY / "config/judges.yaml").read_text())
    judges = [judge_settings(name, entry) for name, entry in entries.items()]

    for judge in judges:
        if judge.kind != "lexical":
            assert price_at_most(judge, 1000) is not None, judge.name


def test_every_provider_of_the_repository_names_its_key() -> None:
    entries = yaml.safe_load((REPOSITORY / "config/judges.yaml").read_text())
    judges = [judge_settings(name, entry) for name, entry in entries.items()]
    providers = [judge for judge in judges if judge.kind == "provider"]

    assert len(providers) == 10
    for judge in providers:
        assert (judge.api_key_env or "").endswith("_API_KEY"), judge.name
