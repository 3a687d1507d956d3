"""Entries of config/judges.yaml are valid for every kind of judge, and become settings."""

from pathlib import Path

import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.kinds import KINDS
from mechaware.instruments.claims.judges.language_model.calls.prices import price_at_most
from mechaware.instruments.claims.judges.settings import JudgeSettings, judge_settings

REPOSITORY = Path(__file__).resolve().parents[5]


def judges_of_repository() -> list[JudgeSettings]:
    """The settings of the judges in config/judges.yaml."""
    entries = yaml.safe_load((REPOSITORY / "config/judges.yaml").read_text())
    return [judge_settings(name, entry) for name, entry in entries.items()]


def test_the_schema_of_the_config_allows_every_kind() -> None:
    schema = yaml.safe_load((REPOSITORY / "config/schema.yaml").read_text())
    properties = schema["$defs"]["judges"]["additionalProperties"]["properties"]
    assert properties["kind"]["else"]["enum"] == list(KINDS)


def test_an_entry_becomes_settings_without_its_label() -> None:
    assert judge_settings("lexical", {"kind": "lexical", "label": "Rules"}) == JudgeSettings(
        "lexical", "lexical"
    )


def test_a_whole_number_in_an_entry_becomes_a_float() -> None:
    """Otherwise 0 and 0.0 would make two requests. They are equal, so their texts are compared."""
    entry = {"kind": "provider", "model": "m", "temperature": 0, "timeout_s": 60, "max_cost_usd": 5}

    settings = judge_settings("whole", entry)

    assert repr(settings.temperature) == "0.0"
    assert repr(settings.timeout_s) == "60.0"
    assert repr(settings.max_cost_usd) == "5.0"


def test_a_price_of_prompts_without_a_price_of_completions_is_refused() -> None:
    entry = {"kind": "provider", "model": "m", "usd_per_million_prompt_tokens": 1.0}

    with pytest.raises(UserError, match="give both"):
        judge_settings("half", entry)


def test_the_cost_of_every_language_model_of_the_repository_is_known() -> None:
    for judge in judges_of_repository():
        if judge.kind != "lexical":
            assert price_at_most(judge, 1000) is not None, judge.name


def test_every_provider_of_the_repository_names_its_key() -> None:
    providers = [judge for judge in judges_of_repository() if judge.kind == "provider"]

    # All providers of config/judges.yaml.
    assert len(providers) == 10
    for judge in providers:
        assert (judge.api_key_env or "").endswith("_API_KEY"), judge.name
