"""What the rules declare that a cluster must know: which run beside Snakemake, and which ask for a GPU.

`python -m tests.slurm.declared_rules local` prints the names of the local ones, `gpu` those of the others.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

RULES = Path(__file__).resolve().parents[2] / "rules"
# A rule, or one that inherits from it, with the lines below that are indented.
RULE = re.compile(
    r"^(?:use rule \w+ as (?P<heir>\w+) with|rule (?P<name>\w+)):\n(?P<body>(?:[ ]{4}.*\n|\n)+)", re.MULTILINE
)


class DeclaredRule(NamedTuple):
    """A named rule. Figures and tables, whose rules are made in a loop, are not among them."""

    name: str
    local: bool
    gpu: bool


def declared_rules() -> list[DeclaredRule]:
    """The rules of all files in `rules/`, as snakefmt writes them."""
    return [
        DeclaredRule(
            match["heir"] or match["name"],
            re.search(r"^    localrule: True$", match["body"], re.MULTILINE) is not None,
            re.search(r"^        gpu=1,$", match["body"], re.MULTILINE) is not None,
        )
        for path in sorted(RULES.glob("*.smk"))
        for match in RULE.finditer(path.read_text())
    ]


if __name__ == "__main__":
    (wanted,) = sys.argv[1:]
    print(*(rule.name for rule in declared_rules() if getattr(rule, wanted)), sep="\n")
