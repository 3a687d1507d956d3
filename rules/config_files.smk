"""Reads the config files with the project's own reader, which refuses more than Snakemake's; no rules."""

import os
import sys
from pathlib import Path


def read_only(*folders):
    """What to say of the first of these folders that is there and cannot be written to."""
    for folder in folders:
        if os.path.exists(folder) and not os.access(folder, os.W_OK):
            return f"{Path(folder).absolute()}: read-only; make it writable, or run in another folder with --directory"


# Even a dry run and a report write to these; `onstart` checks those that jobs alone write to.
if fault := read_only(".", ".snakemake"):
    raise WorkflowError(fault)
REPOSITORY = Path(workflow.basedir)
sys.path.insert(0, str(REPOSITORY))

from mechaware.configuration import read_yaml  # noqa: E402
from mechaware.errors import UserError  # noqa: E402

try:
    read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    # Those of --configfile. Snakemake has read them before this file, so one that is missing or not YAML ends the run
    # with Snakemake's message; a key twice in a mapping does not trouble it.
    for path in workflow.overwrite_configfiles:
        if Path(path).is_file():  # a pipe is empty by now
            read_yaml(Path(path), str(path))
except UserError as error:
    raise WorkflowError(str(error)) from None
