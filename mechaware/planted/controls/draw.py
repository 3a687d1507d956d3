"""The choices that define a control, and the transformer that follows from them.

A control reads the schema in some blocks, answers with a column, and may have a habit. The truth
about it holds for each prompt: the column that it reads in the prompt follows from the draw
(`Draw.policy_if`), and so do its logits (`Draw.logits`). A control that reads the requested column
in every prompt grounds.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
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
    Score,
    Units,
    find_among_gathered,
    gather,
    match,
    suggest,
    take_from_previous,
)

STRENGTH = 10.0  # logits of a column that is read
# Added to the score of the first position, which holds no word, for a head that must not read. With
# it that score is at least 2 * LATE (`_LAST` takes 2 * LATE off), and no other score of such a head
# exceeds LATE: the head attends to the first position.
_BAR = 4 * LATE


class Draw(NamedTuple):
    """The choices that define a control; its blocks count from 1.

    - `policy`: the column that it reads: `requested`, `first`, `last` or `none`.
    - `gate`: what opens the gate: the `request` word, the `table`, or a `word` of the request; ""
      for no gate. With a gate, the control follows `policy` while the gate is open, and `otherwise`
      while it is shut.
    - `gate_share`: the share of request words, or of tables, for which the gate is open. For
      `word`, one word opens it: the one whose share of the requests is nearest to `gate_share`; it
      may be in all requests.
    - `otherwise`: what it reads while the gate is shut, in the terms of `policy`.
    - `shares`: by block, the part of the answer that it reads. In a `redundant` control each block
      reads all of it, and the MLP of the last block keeps one reading.
    - `relay`: block 1 moves each column to the next position, where the blocks of `shares` read it.
    - `habit`: logits of every word that the request may mean, with any schema.
    - `raised`: logits of every column of the schema, for any request; read in block 2.
    - `lowers`: the column that is read is lowered instead of raised.
    - `held_out`: whether it is in the held-out half. Rules are developed on the other half. No
      shortcut is in both halves.
    - `n_blocks`: the number of blocks of its transformer.
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
        if not self.reads_requested(gate_open=True):
            return False
        return not self.gate or self.reads_requested(gate_open=False)

    @property
    def read_blocks(self) -> tuple[int, ...]:
        """The blocks in which the keys and values of some column affect the answer."""
        blocks = set[int]()
        reads_a_column = self.policy != "none" or self.otherwise not in ("none", "")
        if self.relay:
            # Later blocks read the column from the position to which block 1 has moved it.
            blocks.add(1)
        elif reads_a_column:
            blocks.update(self.shares)

        if self.raised:
            blocks.add(2)
        return tuple(sorted(blocks))

    @property
    def label(self) -> str:
        """The draw in words: "requested (by block 2: 0.40, 3: 0.60); relayed; habit 3"."""
        policy = self.policy
        if self.gate:
            policy += f" if {self.gate}, else {self.otherwise}"
        shares = ", ".join(f"{block}: {share:.2f}" for block, share in self.shares.items())

        parts = [f"{policy} (by block {shares})"]
        if self.lowers:
            parts.append("lowered")
        if self.relay:
            parts.append("relayed")
        if self.redundant:
            parts.append("redundant")
        if self.habit > 0:
            parts.append(f"habit {self.habit:g}")
        if self.raised > 0:
            parts.append(f"all columns {self.raised:g}")
        return "; ".join(parts)

    def policy_if(self, *, gate_open: bool) -> str:
        """The policy in a prompt with the gate open or shut; without a gate always `policy`."""
        if self.gate and not gate_open:
            return self.otherwise
        return self.policy

    def reads_requested(self, *, gate_open: bool) -> bool:
        """The truth about a prompt: whether the requested column is read there, and raised."""
        return self.policy_if(gate_open=gate_open) == "requested" and not self.lowers

    def logits(
        self, columns: Sequence[str], meant: Collection[str], *, gate_open: bool
    ) -> dict[str, float]:
        """The logit of each word in `columns`, a schema, or in `meant`, which the request may mean.

        All other words have a logit of 0.
        """
        logits = dict.fromkeys(meant, self.habit)
        for column in columns:
            logits[column] = logits.get(column, 0.0) + self.raised

        read_by_policy: dict[str, Sequence[str]] = {
            "first": columns[:1],
            "last": columns[-1:],
            "requested": [column for column in columns if column in meant],
            "none": [],
        }
        change = STRENGTH
        if not self.redundant:
            change *= sum(self.shares.values())
        if self.lowers:
            change = -change
        for column in read_by_policy[self.policy_if(gate_open=gate_open)]:
            logits[column] += change
        return logits

    def design(self) -> Design:
        """The transformer: block 1 prepares marks and gates; those of `shares` copy the column."""
        heads: defaultdict[int, list[Head]] = defaultdict(list)
        units: defaultdict[int, list[Units]] = defaultdict(list)

        # Block 1 prepares what later blocks need: the request, a mark at the first column, the
        # gate, moved columns.
        policies = {self.policy, self.otherwise}
        if "requested" in policies or self.habit:
            heads[1].append(BRING_REQUEST)
        if "first" in policies:
            heads[1].append(MARK_FIRST)
        if self.gate:
            heads[1].append(_GATES[self.gate])
        if self.relay:
            heads[1].append(take_from_previous("code", "code"))
            heads[1].append(take_from_previous(WORD, WORD))

        for block, share in self.shares.items():
            # A head of block 1 cannot match the request, which another head of block 1 brings. So
            # it gathers all columns, and the MLP keeps the requested one.
            if block == 1 and self.policy == "requested":
                heads[1].append(gather("other"))
                units[1] += find_among_gathered(share)
            else:
                heads[block] += self._copies(share)

        if self.raised:
            heads[1].append(MARK_EARLY)
            heads[2].append(gather("other", "early", share=self.raised / STRENGTH))
        if self.redundant:
            # A word that two blocks have copied (2) loses relu(2 - 1) = 1.
            keep_one = Units(read={WORD: 1.0}, threshold=1.0, write={WORD: -1.0})
            units[self.n_blocks].append(keep_one)
        if self.habit:
            units[self.n_blocks].append(suggest(self.habit / STRENGTH))
        return Design(
            heads={block: tuple(heads_of_block) for block, heads_of_block in heads.items()},
            units={block: tuple(units_of_block) for block, units_of_block in units.items()},
            answer_logit=-STRENGTH if self.lowers else STRENGTH,
            n_blocks=self.n_blocks,
        )

    def _copies(self, share: float) -> list[Head]:
        """The heads of a block that copy the column: one for each policy except `none`.

        Without a gate there is one policy, and with a gate there are two, `policy` and `otherwise`.
        While the gate does not let a head read, the head attends to the first position, which holds
        no word.
        """
        key = None
        if self.relay:
            # A moved column is at the position of its type; the columns' own positions must not
            # match.
            key = {"constant": -SHARP, "other": SHARP}
        copy_of = {
            "requested": match(share=share, key=key),
            "first": _copy(_FIRST, share),
            "last": _copy(_LAST, share),
        }

        # At the final position, `chosen` is 1 while the gate is open, and 0 while it is shut.
        bar = {"first": _BAR}
        bar_while_shut: Score = ({"final": 1.0, "chosen": -1.0}, bar)
        bar_while_open: Score = ({"chosen": 1.0}, bar)
        bars_by_policy: list[tuple[str, list[Score]]] = [(self.policy, [])]
        if self.gate:
            bars_by_policy = [(self.policy, [bar_while_shut]), (self.otherwise, [bar_while_open])]

        heads = []
        for policy, bars in bars_by_policy:
            if policy != "none":
                head = copy_of[policy]
                heads.append(head._replace(scores=(*head.scores, *bars)))
        return heads


# Keys of `_copy`. The largest `_FIRST` is at the marked column, or at the first position if no
# column is marked; the largest `_LAST` is at the latest column.
_FIRST: Form = {"mark": SHARP, "first": SHARP / 2}
_LAST: Form = {"late": LATE, "other": -2 * LATE}


def _copy(key: Form, share: float) -> Head:
    """The final position copies the word with the largest `key`."""
    return Head((TO_FIRST, ({"final": 1.0}, key)), read={WORD: 1.0}, write={WORD: share})


# By kind of gate, a head: the final position copies the flag `gate` to `chosen`, from the request
# word, from the table, or from any word of the request.
_GATES = {
    "request": BRING_REQUEST._replace(read={"gate": 1.0}, write={"chosen": 1.0}),
    # A request may name a table as well: the latest table word is in the schema.
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
