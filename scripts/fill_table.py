"""Fill one table: `python -m scripts.fill_table MODULE FLAGS`;
MODULE declares it (exhibits/report/results.py).
"""

from exhibits.report.tables import Table, save_table
from scripts.command import Output
from scripts.result_command import run_result


def save(table: Table, *, out: Output, shown: Output, tex: Output) -> None:
    """Write the table's numbers, and its cells as CSV and for LaTeX."""
    save_table(table, out, shown=shown, tex=tex)


if __name__ == "__main__":
    run_result("fill", save)
