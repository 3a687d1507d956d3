"""What a run ends as: the tables and figures of each study, as their files declare them."""

from pathlib import Path

from exhibits.report.results import find_results

_RESULTS = find_results(Path(__file__).resolve().parent.parent)
STUDIES = tuple(dict.fromkeys(result.study for result in _RESULTS))


def _names_by_study(folder: str) -> dict[str, tuple[str, ...]]:
    return {
        study: tuple(
            result.name for result in _RESULTS if (result.study, result.folder) == (study, folder)
        )
        for study in STUDIES
    }


TABLES_OF = _names_by_study("tables")
FIGURES_OF = _names_by_study("figures")
TABLES = [name for names in TABLES_OF.values() for name in names]
FIGURES = [name for names in FIGURES_OF.values() for name in names]
# A figure with the name of a table has a rule of another name.
DRAWN = {name: f"draw_{name}" if name in TABLES else name for name in FIGURES}


def readers(*folders: str) -> dict[str, int]:
    """One job for each figure and table that reads a file in one of the folders, by rule,
    as their files declare it.
    """
    return {
        DRAWN[result.name] if result.folder == "figures" else result.name: 1
        for result in _RESULTS
        if any(path.startswith(folder) for path in result.reads.values() for folder in folders)
    }
