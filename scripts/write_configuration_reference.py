"""Writes docs/configuration.md, the reference of every config key; `make docs` calls it."""

import sys

from mechaware.configuration import read_yaml
from mechaware.configuration_reference import reference
from mechaware.errors import UserError
from mechaware.files import replacing
from mechaware.provenance import REPOSITORY


def main() -> None:
    """Write the reference from config/schema.yaml and config/config.yaml."""
    schema, config = (read_yaml(REPOSITORY / path, path) for path in ("config/schema.yaml", "config/config.yaml"))
    with replacing(REPOSITORY / "docs/configuration.md") as partial:
        partial.write_text(reference(schema, config), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
