"""Fills the slots in the sentences of planted papers.

The sentences, and what their levels mean, are in phrases.yaml.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from mechaware.core.yaml_files import read_yaml

PHRASES = Path(__file__).with_name("phrases.yaml")
# By level of a criterion, the block of phrases.yaml that has its sentences.
BLOCKS = {"YES": "met", "PARTIAL": "weaker", "NO": "pitfall"}
WORDINGS = 3  # of each claim's statement
SLOT = re.compile(r"\{([^{}]+)\}")


@cache
def phrases() -> Any:
    """The content of phrases.yaml; a block of lines (`|`) becomes a list of lines."""
    return _split(read_yaml(PHRASES, str(PHRASES)))


def _split(node: Any) -> Any:
    """The same tree in which each text that ends with a line feed is a list of its lines."""
    if isinstance(node, dict):
        return {key: _split(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_split(value) for value in node]
    if isinstance(node, str) and node.endswith("\n"):
        return node.splitlines()
    return node


def topic_of(task: str) -> Any:
    """The topic of this task. Raises StopIteration if there is none."""
    return next(topic for topic in phrases()["topics"] if topic["task"] == task)


def phrasings(code: str, level: str, conditions: Collection[str]) -> list[str]:
    """The templates for a level of the criterion `code` that suit a claim.

    A line of phrases.yaml is "template" or "condition| template". A template with a condition is
    included if the condition is among `conditions`, the conditions that hold for the claim.
    """
    templates = []
    for line in phrases()["phrases"][code][BLOCKS[level]]:
        condition, _, template = line.rpartition("| ")
        if not condition or condition in conditions:
            templates.append(template)
    return templates


def fill(template: str, slots: Mapping[str, str], random: Random, *, plural: bool = False) -> str:
    """A template with its slots filled.

    - `{task}` becomes the text of this slot, and `{Task}` the same with a capital letter.
    - `{n:4-9}` becomes a whole number from 4 to 9, drawn uniformly.
    - `{d:0.1-0.9}` becomes a number from 0.1 to 0.9, drawn uniformly and rounded to as many
      decimals as 0.1 has.
    - `{is/are}` becomes the second word if `plural`, otherwise the first.

    Raises KeyError for an unknown slot.
    """
    return SLOT.sub(lambda match: _value(match[1], slots, random, plural=plural), template)


def _value(slot: str, slots: Mapping[str, str], random: Random, *, plural: bool) -> str:
    """The text for a slot (`fill`)."""
    if slot.startswith("n:"):
        low, high = slot[2:].split("-")
        return str(random.randint(int(low), int(high)))
    if slot.startswith("d:"):
        low, high = slot[2:].split("-")
        decimals = len(low.partition(".")[2])
        return f"{random.uniform(float(low), float(high)):.{decimals}f}"
    if "/" in slot:
        singular_word, plural_word = slot.split("/")
        return plural_word if plural else singular_word
    if slot in slots:
        return slots[slot]

    # A slot with a capital letter, such as `{Task}`.
    value = slots[slot[0].lower() + slot[1:]]
    return value[0].upper() + value[1:]


def list_components(components: Sequence[str]) -> str:
    """Components in words, by kind: "heads 7.3 and 8.1, and MLP 9 and MLP 10".

    A neuron has an index of three digits or more ("4.1180"), a head a shorter one ("7.3").
    """
    heads = []
    neurons = []
    mlps = []
    for component in components:
        _, _, index = component.partition(".")
        if component.startswith("MLP"):
            mlps.append(component)
        elif len(index) > 2:
            neurons.append(component)
        else:
            heads.append(component)

    named = []
    if heads:
        named.append(f"heads {listing(heads)}")
    if neurons:
        named.append(f"neurons {listing(neurons)}")
    if mlps:
        named.append(listing(mlps))
    if len(named) < 2:
        return "".join(named)
    *front, last = named
    return f"{', '.join(front)}, and {last}"


def listing(items: Sequence[str]) -> str:
    """The items in words: "a", "a and b" or "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    *front, last = items
    return f"{', '.join(front)} and {last}"


def write_statements(
    level: str,
    *,
    task: str,
    model: str,
    name: str,
    components: Sequence[str],
    operation: str,
    system: bool,
    seed: int,
) -> list[str]:
    """The claim in one sentence, in `WORDINGS` different wordings.

    Args:
        level: The level that all wordings have on criterion C1.
        task: The task of the model, which names a topic.
        model: The model's name.
        name: The name of the claim's subject, such as "number movers".
        components: The components of the subject, such as "7.3".
        operation: What the subject does; for a system-level claim, the circuit's algorithm.
        system: Whether the claim is system-level.
        seed: The seed of the draw of wordings.
    """
    random = Random(seed)  # noqa: S311
    topic = topic_of(task)
    # Component claims have the slot `operation`, and system-level claims the slot `algorithm`.
    slots = {
        "task": task,
        "answer": topic["answer"],
        "model": model,
        "x": f"the {name}",
        "name": name,
        "units": list_components(components),
        "operation": operation,
        "algorithm": operation,
    }
    templates_by_level = phrases()["statements"]["system" if system else "component"]
    templates = random.sample(templates_by_level[BLOCKS[level]], WORDINGS)
    return [fill(template, slots, random) for template in templates]
