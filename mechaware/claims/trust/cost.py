"""What measuring a judge's trust will cost: the calls are counted by a model that asks nobody."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.calls.provider import load_litellm, price
from mechaware.claims.judges.language_model.judge import LanguageModelJudge
from mechaware.claims.judges.language_model.model import LanguageModel
from mechaware.claims.judges.language_model.prompts import Messages, Prompts
from mechaware.claims.judges.language_model.structured import M
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import Usage
from mechaware.claims.trust.trials import Scoring, Trial, judge_trial

CHARACTERS_A_TOKEN = 4  # of English, roughly
REPLY_TOKENS = 1200  # 27 criteria with a quote each take about so many


class Cost(NamedTuple):
    """Calls without repeats of unusable replies, their tokens, and US dollars, None where no price is known."""

    texts: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None

    def line(self, judge: str) -> str:
        """One line for a user."""
        price_text = "price unknown" if self.dollars is None else f"about ${self.dollars:.2f}"
        return (
            f"judge {judge}: {self.texts} texts, {self.calls} calls, about {self.prompt_tokens} prompt tokens and "
            f"{self.completion_tokens} tokens of replies without reasoning, {price_text}"
        )


class _CountingModel(LanguageModel):
    """Notes the prompts and replies to none of them."""

    def __init__(self, settings: JudgeSettings) -> None:  # without a store: nothing is kept
        self.settings, self.usage = settings, Usage()
        self.prompts: set[tuple[str, int]] = set()
        self.characters = 0

    def ask(self, messages: Messages, reply: type[M], *, run: int, step: str, form: type[BaseModel] | None = None) -> M:
        """Note a prompt, once for each run. Raises `Unscored`."""
        del reply, step, form
        prompt = "\n".join(message["content"] for message in messages)
        if (prompt, run) not in self.prompts:
            self.prompts.add((prompt, run))
            self.characters += len(prompt)
        raise Unscored("empty", "not asked")


def estimate_cost(
    settings: JudgeSettings, prompts: Sequence[Path], trials: Iterable[Trial], runs: int, scoring: Scoring
) -> Cost:
    """The cost of judging these trials anew. A judge without a language model costs nothing.

    Audits count for a judge that is asked claim by claim.
    """
    trials = list(trials)
    texts = sum(1 + len(trial.edits) for trial in trials)
    if not settings.model:
        return Cost(texts, 0, 0, 0, 0.0)
    model = _CountingModel(settings)
    judge = LanguageModelJudge(model, Prompts.load(prompts))
    for trial in trials:
        for _ in judge_trial(judge, trial, runs, scoring):
            pass
    calls, prompt_tokens = len(model.prompts), model.characters // CHARACTERS_A_TOKEN
    completion_tokens = calls * min(REPLY_TOKENS, settings.max_tokens)
    return Cost(texts, calls, prompt_tokens, completion_tokens, _dollars(settings, prompt_tokens, completion_tokens))


def _dollars(settings: JudgeSettings, prompt_tokens: int, completion_tokens: int) -> float | None:
    if settings.kind == "embedded":
        return 0.0
    own_price = settings.usd_per_million_prompt_tokens is not None
    usage = Usage if own_price else load_litellm().Usage
    return price(settings, usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens))
