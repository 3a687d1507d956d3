"""What a step costs, printed for the person who pays: before and after a provider is asked.

The lines go to standard output, which no rule's log takes, so they are shown where the command was
typed. `mechaware` reads what Snakemake prints, and passes them on by how they begin.
"""

BEGINNING = "cost: "


def print_cost(asked: str, cost: str) -> None:
    """Print a line at once: what is asked (a judge, and perhaps a paper), and what it costs."""
    print(f"{BEGINNING}{asked}: {cost}", flush=True)
