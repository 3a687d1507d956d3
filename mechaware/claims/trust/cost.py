"""What measuring a judge's trust will cost, before the first call."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from mechaware.claims.judges.language_model.calls.provider import load_litellm, price
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.trust.trials import Trial

CHARACTERS_A_TOKEN = 4  # of English, roughly
REPLY_TOKENS = 1200  # 27 criteria with a quote each take about so many


def estimated_cost(settings: JudgeSettings, prompts: Sequence[Path], trials: Iterable[Trial]) -> str:
    """One line for a user: the calls of a judge that reads whole papers, their tokens and US dollars.

    Kept replies, repeats of unusable replies and reasoning are not counted.
    """
    texts = [variant for trial in trials for variant in (trial.base, trial.base, *trial.edits)]
    ask = Prompts.load(prompts).judge_claim
    asked = [ask(claim, variant.text, variant.about.flags) for variant in texts for claim in variant.claims.values()]
    prompt_tokens = sum(len(message["content"]) for chat in asked for message in chat) // CHARACTERS_A_TOKEN
    reply_tokens = len(asked) * min(REPLY_TOKENS, settings.max_tokens)
    dollars = price(settings, load_litellm().Usage(prompt_tokens=prompt_tokens, completion_tokens=reply_tokens))
    return (
        f"judge {settings.name}: {len(texts)} texts, {len(asked)} calls, about {prompt_tokens} prompt tokens and "
        f"{reply_tokens} tokens of replies without reasoning, "
        f"{'price unknown' if dollars is None else f'about ${dollars:.2f}'}"
    )
