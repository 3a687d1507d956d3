"""Prints the files of every figure and table, a line each."""

from mechaware.provenance import REPOSITORY
from mechaware.report.results import find_results

if __name__ == "__main__":
    print(*(path for result in find_results(REPOSITORY) for path in result.outputs), sep="\n")
