"""The rules that run beside Snakemake, never on a node of a cluster, as the rules' files declare
them.

`python -m tests.slurm.declared_rules` prints their names.
"""

import re
from functools import cache
from pathlib import Path

RULES = Path(__file__).resolve().parents[2] / "rules"
# A rule, or one that inherits from it, with the lines below that are indented.
RULE = re.compile(
    r"^(?:use rule \w+ as (?P<heir>\w+) with|rule (?P<name>\w+)):\n(?P<body>(?:[ ]{4}.*\n|\n)+)",
    re.MULTILINE,
)


@cache
def local_rules() -> frozenset[str]:
    """The local rules whose declarations begin a line in `rules/`, as snakefmt writes them.

    Indented declarations are left out. None of the rules that a loop declares is local; of those
    under an `if` only `claim` is, which prints lines.
    """
    return frozenset(
        match["heir"] or match["name"]
        for path in RULES.glob("*.smk")
        for match in RULE.finditer(path.read_text())
        if re.search(r"^    localrule: True\b", match["body"], re.MULTILINE)
    )


if __name__ == "__main__":
    print(*sorted(local_rules()), sep="\n")
