"""Prints the files of every figure and table, a line each."""

from exhibits.report.results import find_results
from mechaware.core.git_repository import REPOSITORY

if __name__ == "__main__":
    for result in find_results(REPOSITORY):
        for path in result.outputs:
            print(path)
