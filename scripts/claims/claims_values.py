"""The claims study's numbers for the paper's text."""

from pathlib import Path

from mechaware.claims.values import study_values
from mechaware.report.values import setting_values, write_values
from scripts.command import run


def main(
    *, tables: list[Path], judges: Path, judge_labels: dict[str, str], settings: dict[str, str], out: Path
) -> None:
    """Gather the values of the study's tables."""
    listed = [{"name": name, "label": label} for name, label in judge_labels.items()]
    write_values(study_values(tables, judges) | setting_values(settings), {"judges": listed}, out)


if __name__ == "__main__":
    run(main)
