"""What a run ends as: the tables and figures of each study, as their files declare them."""

from pathlib import Path

from exhibits.report.results import find_results

_RESULTS = find_results(Path(__file__).resolve().parent.parent)
STUDIES = tuple(dict.fromkeys(result.study for result in _RESULTS))


def _names_by_study(folder: str) -> dict[str, tuple[str, ...]]:
    """The names of the results in a folder, tables or figures, by study."""
    names: dict[str, list[str]] = {study: [] for study in STUDIES}
    for result in _RESULTS:
        if result.folder == folder:
            names[result.study].append(result.name)
    return {study: tuple(of_study) for study, of_study in names.items()}


TABLES_OF = _names_by_study("tables")
FIGURES_OF = _names_by_study("figures")
TABLES = [name for names in TABLES_OF.values() for name in names]
FIGURES = [name for names in FIGURES_OF.values() for name in names]
# A figure with the name of a table has a rule of another name.
DRAWN = {name: f"draw_{name}" if name in TABLES else name for name in FIGURES}


def readers(*folders: str) -> dict[str, int]:
    """The jobs of the figures and tables that read a file in one of the folders.

    Each has one job, by the name of its rule. What a figure or table reads is as its module
    declares it.
    """
    jobs = {}
    for result in _RESULTS:
        if any(path.startswith(folders) for path in result.reads.values()):
            rule = DRAWN[result.name] if result.folder == "figures" else result.name
            jobs[rule] = 1
    return jobs
