"""The sentences that planted papers are written from (phrases.yaml), and how their slots are filled.

What the levels mean here, where the rubric leaves room:

C1  YES: the statement names components, what they do, and what would be seen were it so. PARTIAL: components, but only
    "involved in". NO: an "in some sense" that says of itself that no experiment could refute it.
C2  YES: weights or composition analysed. PARTIAL: attention patterns looked at, no weights. NO: neither.
C3  YES: inputs, target and score of the task fixed. PARTIAL: the task named, its borders open. NO: general competence.
C4  YES: each member removed in turn. PARTIAL: pruned or selected, not member by member. NO: all candidates kept.
C5  The number of evidence families, each with a result that fits I1, I2 and C2: three or more, two, one. All edits of
    activations are one, causal.
I1  YES: ablated, with the size of the loss. PARTIAL: a mixed outcome, or few prompts. NO: no ablation; probes at most.
I2  YES: alone, all else ablated, or only its paths. PARTIAL: restored with the rest running. NO: faithfulness and such.
I3  YES: off-task effects of its ablation in numbers. PARTIAL: glanced at. NO: one task studied.
I4  YES: the effect in each of three samples or seeds. PARTIAL: one more, or without numbers. NO: one.
I5  YES: a control experiment on a named confound. PARTIAL: balanced or argued. NO: standard methodology.
M1  YES: spread or interval with every figure. PARTIAL: with one. NO: point values. A paper whose circuit has NO here
    has NO for every claim, and no word of spread anywhere: its flag NO_VARIANCE_REPORTED is true.
M2  YES: another score or ablation throughout. PARTIAL: for part of the results. NO: one of each.
M3  YES: chance, shuffled labels or untrained models. PARTIAL: the full model only. NO: no reference, and the paper says
    so.
M4  YES: thresholds and settings swept. PARTIAL: one other value. NO: fixed.
M5  YES: the measure tried where the answer is known, and right. PARTIAL: at its ends or one rough case. NO: trusted.
M6  YES: every step of the claim measured. PARTIAL: some steps. NO: one proxy for all.
E1  YES: the output changed as predicted at many sites and on many kinds of inputs, held-out ones among them. PARTIAL:
    at one or two sites. NO: observation in one condition: where there are interventions, there is reach.
E2  YES: ten or more strengths, monotonic. PARTIAL: one between or beyond. NO: on and off, or members one by one.
E3  YES: matched components under the same test. PARTIAL: one or two, unmatched. NO: none.
E4  YES: large, beside the intact model's score. PARTIAL: a figure without a reference. NO: significant, without a size.
E5  YES: another task, with results. PARTIAL: another distribution, or part of the tests. NO: one distribution; hopes.
E6  YES: another architecture, tested. PARTIAL: looked at. NO: none, or another size of the same family.
V1  YES: the level of description declared. PARTIAL: leaned towards. NO: left open or mixed.
V2  YES: an intervention on each step of the claim. PARTIAL: on some of its steps. NO: location offered as function.
V3  YES: results that lead to one another, exceptions explained. PARTIAL: one finding or step left over. NO: results
    that contradict the account.
V4  YES: a named reading excluded by a test, not one of the cues that I5 controls for. PARTIAL: a rival discussed. NO:
    none considered.
V5  YES: bounded to what was tested. PARTIAL: a general caution. NO: all models, all language.

Evidence that a later section withdraws counts as not reported. A row of the table counts as a sentence. An
instruction to judges counts as nothing.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from mechaware.configuration import read_yaml

PHRASES = Path(__file__).with_name("phrases.yaml")
BLOCKS = {"YES": "met", "PARTIAL": "weaker", "NO": "pitfall"}  # the block of phrasings for each level
WORDINGS = 3  # of each claim
SLOT = re.compile(r"\{([^{}]+)\}")


@cache
def phrases() -> Any:
    """The content of phrases.yaml; a block of phrasings becomes a list of lines."""
    return _split(read_yaml(PHRASES, str(PHRASES)))


def _split(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _split(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_split(value) for value in node]
    return node.splitlines() if isinstance(node, str) and node.endswith("\n") else node


def topic_of(task: str) -> Any:
    """The topic of this task. Raises StopIteration if there is none."""
    return next(topic for topic in phrases()["topics"] if topic["task"] == task)


def phrasings(code: str, level: str, holds: Collection[str]) -> list[str]:
    """The templates for a level of a criterion; those with a condition only if it is among `holds`."""
    tagged = [line.rpartition("| ") for line in phrases()["phrases"][code][BLOCKS[level]]]
    return [text for tag, _, text in tagged if not tag or tag in holds]


def fill(template: str, slots: Mapping[str, str], random: Random, *, plural: bool = False) -> str:
    """A template with its slots filled. `{n:4-9}` draws a whole number and `{d:0.1-0.9}` a decimal, both uniformly;
    `{is/are}` agrees with `plural`; `{Task}` is `{task}` with a capital letter.

    Raises KeyError for an unknown slot.
    """
    return SLOT.sub(lambda match: _value(match[1], slots, random, plural), template)


def _value(slot: str, slots: Mapping[str, str], random: Random, plural: bool) -> str:
    if slot[:2] in ("n:", "d:"):
        low, high = slot[2:].split("-")
        if slot[0] == "n":
            return str(random.randint(int(low), int(high)))
        return f"{random.uniform(float(low), float(high)):.{len(low.partition('.')[2])}f}"
    if "/" in slot:
        return slot.split("/")[plural]
    if slot in slots:
        return slots[slot]
    value = slots[slot[0].lower() + slot[1:]]
    return value[0].upper() + value[1:]


def list_components(components: Sequence[str]) -> str:
    """Components in words, by kind: "heads 7.3 and 8.1, and MLP 9 and MLP 10"."""
    mlps = [component for component in components if component.startswith("MLP")]
    units = [component for component in components if component not in mlps]
    neurons = [component for component in units if len(component.partition(".")[2]) > 2]
    heads = [component for component in units if component not in neurons]
    kinds = (("heads ", heads), ("neurons ", neurons), ("", mlps))
    named = [word + listing(members) for word, members in kinds if members]
    return ", and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def listing(items: Sequence[str]) -> str:
    """The items in words: "a", "a and b" or "a, b and c"."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def write_statements(
    level: str, *, task: str, model: str, name: str, components: Sequence[str], operation: str, system: bool, seed: int
) -> list[str]:
    """The claim in one sentence, in three wordings, all at one level of C1.

    `operation` is the circuit's algorithm for a system-level claim.
    """
    random = Random(seed)  # noqa: S311
    topic = topic_of(task)
    slots = {"task": task, "answer": topic["answer"], "model": model, "x": f"the {name}", "name": name}
    slots |= {"units": list_components(components), "operation": operation, "algorithm": operation}
    templates = phrases()["statements"]["system" if system else "component"][BLOCKS[level]]
    return [fill(template, slots, random) for template in random.sample(templates, WORDINGS)]
