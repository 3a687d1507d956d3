"""The settings of a judge (`JudgeSettings`) from its entry in config/judges.yaml, and its files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.addresses import LOCAL_PROVIDERS

PROVIDERS_THREADS = 4  # by default, how many calls to a provider are made at a time
Mode = Literal["at_once", "claim_by_claim", "passages"]
StructuredOutput = Literal["json_schema", "json_object", "none"]
Seed = Literal["run", "none"]


@dataclass(frozen=True)
class JudgeSettings:
    """A judge and, if it is a language model, how it is called.

    - `name`: the key of the judge's entry.
    - `kind`: a key of `kinds.KINDS`, or the dotted name of a `Kind` in the user's own package.
    - `model`: litellm's name of a provider's model, or the name of an embedded model in
      config/models.yaml.
    - `api_base`: the URL of an OpenAI-compatible server.
    - `api_key_env`: the environment variable with the key.
    - `temperature`, `reasoning_effort`: sent only if they are set.
    - `mode`: the architecture of the extraction (section 4 of the paper). `at_once` asks for claims
      and criteria in one reply; `claim_by_claim` asks for the claims, then for the criteria of each
      claim; both send the whole paper. `passages` sends passages, for a model that cannot hold a
      paper.
    - `max_tokens`: the limit of a reply, in tokens.
    - `timeout_s`: the seconds without a byte after which an attempt ends.
    - `structured_output`: how the form of a reply is asked for.
    - `seed`: `run` sends the run's index as the seed; `none` sends none, for a server that refuses
      a seed.
    - `attempts`: the most attempts of a call.
    - `max_claims`: the most claims of a paper.
    - `context_tokens`: the limit of a prompt with its reply, in tokens.
    - `max_cost_usd`: the limit of the cost of all replies of the judge.
    - `usd_per_million_*_tokens`: prices that replace the prices of litellm's list.
    - `threads`: how many calls of a provider are made at a time; None for the default of
      `calls_at_a_time`.
    """

    name: str
    kind: str
    model: str = ""
    api_base: str | None = None
    api_key_env: str | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    mode: Mode = "at_once"
    max_tokens: int = 32768
    timeout_s: float = 300.0
    structured_output: StructuredOutput = "json_schema"
    seed: Seed = "run"
    attempts: int = 4
    max_claims: int = 12
    context_tokens: int = 128_000
    max_cost_usd: float | None = None
    usd_per_million_prompt_tokens: float | None = None
    usd_per_million_completion_tokens: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        has_prompt_price = self.usd_per_million_prompt_tokens is not None
        has_completion_price = self.usd_per_million_completion_tokens is not None
        if has_prompt_price != has_completion_price:
            raise UserError(
                f"judge {self.name}: one of usd_per_million_prompt_tokens and "
                "usd_per_million_completion_tokens is missing; give both in config/judges.yaml"
            )

    @property
    def calls_at_a_time(self) -> int:
        """How many calls are made at a time, in threads: runs of a paper, or questions about items.

        1 for any other `kind` than `provider`, whatever `threads` is. For a provider it is
        `threads`, and by default `PROVIDERS_THREADS`, or 1 if the provider is a server of the
        user's own: such a server may answer one call after the other, and a call that waits for its
        turn would end at `timeout_s`.
        """
        if self.kind != "provider":
            return 1
        if self.threads is not None:
            return self.threads
        is_own_server = self.api_base is not None or self.model.startswith(LOCAL_PROVIDERS)
        return 1 if is_own_server else PROVIDERS_THREADS


def read_key(judge: str, variable: str | None) -> str | None:
    """The key in the environment variable `variable`; None if `variable` is None: no key is needed.

    Raises `UserError` if the variable is not set.
    """
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise UserError(
            f"judge {judge}: no key; set the environment variable {variable} "
            "(config/judges.yaml names it)"
        )
    return key


def judge_settings(name: str, entry: dict[str, Any]) -> JudgeSettings:
    """The settings of the entry `name` of config/judges.yaml, without its label.

    The label is for tables and figures only.
    """
    settings = {key: value for key, value in entry.items() if key != "label"}
    # YAML reads a temperature of 0 as an int. A stored reply is filed by a hash of its request as
    # JSON, in which 0 and 0.0 differ.
    for field in fields(JudgeSettings):
        is_float = field.type in (float, float | None)
        if is_float and settings.get(field.name) is not None:
            settings[field.name] = float(settings[field.name])
    return JudgeSettings(name=name, **settings)


class JudgeFiles(NamedTuple):
    """The files of a judge.

    - `prompts`: the files of one version of the prompts.
    - `responses`: the folder of stored replies.
    - `weights`: the GGUF file of an embedded model, else None.
    - `item_prompts`: the files of config/judge_prompts/items, for a judge that is asked about
      passages; empty for other judges.
    """

    prompts: Sequence[Path]
    responses: Path
    weights: Path | None
    item_prompts: Sequence[Path] = ()
