"""A judge whose model is a server that gives the replies of a script, through real HTTP."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import Run
from tests.fake_provider import Call, FakeProvider, Reply
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    TEXT,
    paper_text,
)

REPOSITORY = Path(__file__).resolve().parents[7]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").iterdir())


def settings(provider: FakeProvider, **more: Any) -> JudgeSettings:
    """The settings of a judge whose model this provider serves, with further or other fields."""
    given: dict[str, Any] = {
        "model": "openai/m",
        "api_base": provider.url,
        "attempts": 2,
        "timeout_s": 2.0,
    }
    return JudgeSettings("tester", "provider", **given | more)


OpenTester = Callable[..., Judge]


@pytest.fixture
def open_tester(tmp_path: Path) -> Iterator[OpenTester]:
    """A function that opens a judge of a provider; all its judges have one store of replies."""
    with ExitStack() as stack:

        def open_with_store(provider: FakeProvider, **more: Any) -> Judge:
            made = open_judge(
                settings(provider, **more),
                prompts=PROMPTS,
                responses=tmp_path / "store",
                weights=[],
            )
            return stack.enter_context(made)

        yield open_with_store


Extract = Callable[..., tuple[Run, list[Call]]]


@pytest.fixture
def extract(open_tester: OpenTester) -> Extract:
    """A function that makes one run over a paper, and returns it with the calls that it took.

    Its arguments are the provider's replies (`FakeProvider`), the paper, and settings of the judge.
    """

    def extract_once(
        *script: Reply,
        otherwise: Callable[[Call], Reply] | None = None,
        text: str = TEXT,
        flags: Sequence[str] = (),
        **more: Any,
    ) -> tuple[Run, list[Call]]:
        with FakeProvider(script, otherwise=otherwise) as provider:
            run = open_tester(provider, **more).extract(text, paper_text(flags=list(flags)), 0)
        return run, provider.calls

    return extract_once
