"""Writes the parts of docs/ that follow from the code (every config key, figure and table); `make docs` calls it."""

import sys

from mechaware.configuration.schema import read_yaml
from mechaware.errors import UserError
from mechaware.files import atomic_write
from mechaware.provenance import REPOSITORY
from mechaware.report.configuration_reference import reference
from mechaware.report.results import config_schema, figure_settings, find_results, with_results_table


def main() -> None:
    """Write docs/configuration.md, and the table of results in docs/results.md."""
    results = find_results(REPOSITORY)
    schema = config_schema(REPOSITORY, results)
    config = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    config["figures"] = figure_settings(results, config["figures"])
    page = REPOSITORY / "docs/results.md"
    texts = {
        REPOSITORY / "docs/configuration.md": reference(schema, config),
        page: with_results_table(page.read_text(encoding="utf-8"), results),
    }
    for path, text in texts.items():
        with atomic_write(path) as partial:
            partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
