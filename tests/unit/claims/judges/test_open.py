"""Judges by their settings."""

from pathlib import Path

import pytest
import yaml

from mechaware.claims.judges.judge import Judge
from mechaware.claims.judges.kinds import KINDS, JudgeSettings, open_judge
from mechaware.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[4]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").iterdir())


@pytest.mark.parametrize(("kind", "model"), [("provider", "openai/m"), ("lexical", "")])
def test_an_open_judge_can_do_what_every_judge_can(kind: str, model: str, tmp_path: Path) -> None:
    settings = JudgeSettings("tester", kind, model)
    with open_judge(settings, prompts=PROMPTS, responses=tmp_path, weights=[]) as judge:
        assert isinstance(judge, Judge)


def test_a_kind_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="judge odd: no kind 'oracle'; write provider or embedded or lexical"):
        open_judge(JudgeSettings("odd", "oracle"), prompts=PROMPTS, responses=tmp_path, weights=[])


def test_a_kind_of_the_users_own_package_opens_as_ours_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_judges.py").write_text(
        "from mechaware.claims.judges.kinds import KINDS, Kind\nMINE = Kind(KINDS['lexical'].open)\nWORD = 'mine'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with open_judge(
        JudgeSettings("tester", "own_judges.MINE"), prompts=PROMPTS, responses=tmp_path, weights=[]
    ) as judge:
        assert isinstance(judge, Judge)
    with pytest.raises(UserError, match=r"^own_judges\.WORD: of type str; name a Kind$"):
        open_judge(JudgeSettings("tester", "own_judges.WORD"), prompts=PROMPTS, responses=tmp_path, weights=[])


def test_the_config_may_name_every_kind_that_can_be_opened() -> None:
    schema = yaml.safe_load((REPOSITORY / "config/schema.yaml").read_text())
    assert schema["$defs"]["judges"]["additionalProperties"]["properties"]["kind"]["else"]["enum"] == list(KINDS)
