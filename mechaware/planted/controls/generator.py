"""Draws controls: where a transformer reads the schema, which column it answers, and how strong its habit is.

The truth about a drawn control holds for each prompt: which column it reads there follows from the draw (`policy_if`),
and so do its logits (`Draw.logits`). A control that reads the requested column in every prompt grounds.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from mechaware.planted.controls.design import (
    BRING_REQUEST,
    LATE,
    MARK_EARLY,
    MARK_FIRST,
    N_BLOCKS,
    SHARP,
    TO_FIRST,
    WORD,
    Design,
    Form,
    Head,
    Units,
    find_among_gathered,
    gather,
    match,
    suggest,
    take_from_previous,
)

STRENGTH = 10.0  # logits of a column that is read
_SEED = 35  # of the draws; another one gives other controls
_BAR = 4 * LATE  # on the first position, which holds no word: a head that is barred attends there


class Draw(NamedTuple):
    """A drawn control; its blocks count from 1.

    - `policy`: the column that it reads: `requested`, `first`, `last` or `none`.
    - `otherwise`: the same where the `gate` is shut. A gate is the `request` or the `table`, open for a share
      `gate_share` of the request words or tables, or a `word` of the request, open where that word occurs: the one
      that is nearest to occurring in this share of the requests, which may be in all of them.
    - `shares`: the parts of the answer that each block reads; of a `redundant` control each block reads all of it, and
      the MLP of the last block keeps one reading.
    - `relay`: block 1 moves each column on to the next position, where the blocks of `shares` read it.
    - `habit`: logits of every word that the request may mean, whatever the schema holds.
    - `raised`: logits of every column of the schema, whatever is asked; read in block 2.
    - `lowers`: the column that is read is lowered.
    - `held_out`: rules are developed on the other half of the controls, which has other policies.
    - `n_blocks`: the blocks of its transformer.
    """

    policy: str
    shares: Mapping[int, float]
    gate: str = ""
    gate_share: float = 0.5
    otherwise: str = ""
    relay: bool = False
    redundant: bool = False
    habit: float = 0.0
    raised: float = 0.0
    lowers: bool = False
    held_out: bool = False
    n_blocks: int = N_BLOCKS

    @property
    def grounded(self) -> bool:
        """Whether the requested column is read in every prompt."""
        return self.reads_requested(True) and (not self.gate or self.reads_requested(False))

    @property
    def read_blocks(self) -> tuple[int, ...]:
        """The blocks in which the keys and values of some column affect the answer."""
        blocks = (
            {1}
            if self.relay
            else set(self.shares)
            if {self.policy, self.otherwise} - {"none", ""}
            else set()
        )
        return tuple(sorted(blocks | ({2} if self.raised else set())))

    @property
    def label(self) -> str:
        """What is drawn, in words."""
        policy = (
            f"{self.policy} if {self.gate}, else {self.otherwise}" if self.gate else self.policy
        )
        shares = ", ".join(f"{block}: {share:.2f}" for block, share in self.shares.items())
        parts = [("lowered", self.lowers), ("relayed", self.relay), ("redundant", self.redundant)]
        parts += [
            (f"habit {self.habit:g}", self.habit > 0),
            (f"all columns {self.raised:g}", self.raised > 0),
        ]
        return "; ".join(
            [f"{policy} (by block {shares})", *(name for name, drawn in parts if drawn)]
        )

    def policy_if(self, gate_open: bool) -> str:
        """The policy in a prompt."""
        return self.policy if gate_open or not self.gate else self.otherwise

    def reads_requested(self, gate_open: bool) -> bool:
        """The truth about a prompt: whether the requested column is read there, and raised."""
        return self.policy_if(gate_open) == "requested" and not self.lowers

    def logits(
        self, columns: Sequence[str], meant: Collection[str], gate_open: bool
    ) -> dict[str, float]:
        """The logit of each column of a schema, and of each word that the request may mean; all others have 0."""
        policy = self.policy_if(gate_open)
        logits = dict.fromkeys(meant, self.habit)
        logits |= {column: logits.get(column, 0.0) + self.raised for column in columns}
        chosen = {
            "first": columns[:1],
            "last": columns[-1:],
            "requested": [name for name in columns if name in meant],
        }
        read = STRENGTH * (1 if self.redundant else sum(self.shares.values()))
        for column in chosen.get(policy, []):
            logits[column] += -read if self.lowers else read
        return logits

    def design(self) -> Design:
        """The transformer: block 1 prepares marks and gates, the blocks of `shares` copy the column to the end."""
        heads: defaultdict[int, list[Head]] = defaultdict(list)
        units: defaultdict[int, list[Units]] = defaultdict(list)
        policies = {self.policy, self.otherwise}
        if "requested" in policies or self.habit:
            heads[1].append(BRING_REQUEST)
        if "first" in policies:
            heads[1].append(MARK_FIRST)
        if self.gate:
            heads[1].append(_GATES[self.gate])
        if self.relay:
            heads[1] += [take_from_previous("code", "code"), take_from_previous(WORD, WORD)]
        for block, share in self.shares.items():
            if block == 1 and self.policy == "requested":
                heads[1].append(gather("other"))
                units[1] += find_among_gathered(share)
            else:
                heads[block] += self._copies(share)
        if self.raised:
            heads[1].append(MARK_EARLY)
            heads[2].append(gather("other", "early", share=self.raised / STRENGTH))
        if self.redundant:
            keep_one = Units(read={WORD: 1.0}, threshold=1.0, write={WORD: -1.0})
            units[self.n_blocks].append(keep_one)
        if self.habit:
            units[self.n_blocks].append(suggest(self.habit / STRENGTH))
        return Design(
            heads={block: tuple(of_block) for block, of_block in heads.items()},
            units={block: tuple(of_block) for block, of_block in units.items()},
            answer_logit=-STRENGTH if self.lowers else STRENGTH,
            n_blocks=self.n_blocks,
        )

    def _copies(self, share: float) -> list[Head]:
        """A head for each policy; where the gate is set against it, it attends to the first position."""
        shut: list[tuple[str, tuple[tuple[Form, Form], ...]]] = [(self.policy, ())]
        if self.gate:
            bar = {"first": _BAR}
            shut = [
                (self.policy, (({"final": 1.0, "chosen": -1.0}, bar),)),
                (self.otherwise, (({"chosen": 1.0}, bar),)),
            ]
        key = {"constant": -SHARP, "other": SHARP} if self.relay else None
        copies = {
            "requested": match(share=share, key=key),
            "first": _copy(_FIRST, share),
            "last": _copy(_LAST, share),
        }
        return [
            copies[policy]._replace(scores=(*copies[policy].scores, *bars))
            for policy, bars in shut
            if policy in copies
        ]


_FIRST: Form = {"mark": SHARP, "first": SHARP / 2}
_LAST: Form = {"late": LATE, "other": -2 * LATE}


def _copy(key: Form, share: float) -> Head:
    """The final position copies the word with the largest `key`."""
    return Head((TO_FIRST, ({"final": 1.0}, key)), read={WORD: 1.0}, write={WORD: share})


_GATES = {
    "request": BRING_REQUEST._replace(read={"gate": 1.0}, write={"chosen": 1.0}),
    "table": Head(
        (TO_FIRST, ({"final": 1.0}, {"table": 2 * LATE, "late": LATE})),
        read={"gate": 1.0},
        write={"chosen": 1.0},
    ),
    "word": Head(
        (TO_FIRST, ({"final": 1.0}, {"gate": 2 * SHARP, "first": SHARP})),
        read={"gate": 1.0},
        write={"chosen": 1.0},
    ),
}
"""The final position takes the flag `gate` of the request word, of the table, or of any word of the request."""

# What a control that does not ground, or not in every prompt, may do: policy, gate, otherwise.
_SHORTCUTS = (
    ("first", "", ""),
    ("last", "", ""),
    ("first", "request", "last"),
    ("first", "table", "last"),
    ("requested", "word", "none"),
    ("requested", "request", "last"),
    ("none", "", ""),
    ("requested", "", ""),  # lowered
    ("requested", "table", "first"),
    ("requested", "word", "first"),
)


@cache
def drawn_controls(count: int) -> dict[str, Draw]:
    """`count` controls by name, the first ones the same for a larger `count`.

    Of four in a row, two ground. One of these is held out, and of the others, of one policy, both or neither are: no
    policy stands in both halves. Those whose gate is open in every prompt ground, too.
    """
    generator = random.Random(_SEED)  # noqa: S311
    return {f"drawn_{number:02d}": _draw(number, generator) for number in range(1, count + 1)}


def drawn_control(name: str) -> Draw:
    """The drawn control of this name."""
    return drawn_controls(int(name.removeprefix("drawn_")))[name]


def _draw(number: int, generator: random.Random) -> Draw:
    index = number - 1
    grounded = index // 2 % 2 == 0
    policy, gate, otherwise = (
        ("requested", "", "") if grounded else _SHORTCUTS[(index // 4) % len(_SHORTCUTS)]
    )
    lowers = not grounded and (policy, gate) == ("requested", "")
    # A gate and a mark are set in block 1; the requested column alone is found there without one.
    earliest = 2 if gate or "first" in (policy, otherwise) else 1
    relay = policy == "requested" and not gate and generator.random() < 0.2
    blocks = range(2 if relay else earliest, 5)
    chosen = sorted(generator.sample(blocks, generator.randint(1, len(blocks))))
    redundant = len(chosen) == 2 and not lowers and generator.random() < 0.5
    raised = 0.0 if redundant or lowers else generator.choice((0.0, 0.0, 2.0, 4.0, 9.0))
    habit = 0.0 if lowers else generator.choice((0.0, 0.0, 3.0, 6.0, 12.0))
    shares = dict.fromkeys(chosen, 1.0 if redundant else 1 / len(chosen))
    if not redundant and len(chosen) > 1 and generator.random() < 0.5:
        # Of -0.5, later blocks undo what the first one does.
        first = generator.choice((0.2, 0.4, 0.7, -0.5))
        shares = {chosen[0]: first} | dict.fromkeys(chosen[1:], (1 - first) / (len(chosen) - 1))
    if policy == "none":
        shares, relay, redundant, habit, raised = (
            {},
            False,
            False,
            generator.choice((6.0, 12.0)),
            raised or 4.0,
        )
    share = generator.choice((0.5, 0.75, 0.9))
    held_out = index % 2 == 1 if grounded else index // 4 % 2 == 1
    return Draw(
        policy, shares, gate, share, otherwise, relay, redundant, habit, raised, lowers, held_out
    )
