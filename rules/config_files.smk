"""The config: config/config.yaml, overridden by the user's files and flags; no rules."""

import os
import sys
from pathlib import Path

from snakemake.utils import update_config


def read_only(*folders):
    """A message about the first of the folders that is read-only; None if there is none."""
    for folder in folders:
        if os.path.exists(folder) and not os.access(folder, os.W_OK):
            return (
                f"{Path(folder).absolute()}: read-only; "
                "make it writable, or run in another folder with --directory"
            )
    return None


# Even a dry run and a report write to these folders. `onstart` (Snakefile) checks the folders that
# only jobs write to.
if fault := read_only(".", ".snakemake"):
    raise WorkflowError(fault)
# Snakemake would put a prefix before the paths of inputs and outputs, but not before the paths in
# params.
if workflow.modifier.path_modifier.prefix:
    raise WorkflowError("a module with `prefix:` is not supported; leave it out")
REPOSITORY = Path(workflow.current_basedir).parent
# An installed workflow lies inside the package, in the folder mechaware/ (setup.py).
INSTALLED = (REPOSITORY / "__init__.py").exists()
LIBRARY = REPOSITORY.parent if INSTALLED else REPOSITORY
sys.path.insert(0, str(LIBRARY))
if INSTALLED:
    from mechaware.core.run_module import RepositoryFinder

    sys.meta_path.insert(0, RepositoryFinder)

from mechaware.core.yaml_files import read_yaml  # noqa: E402
from mechaware.core.errors import UserError  # noqa: E402

# The files of --configfile belong to the workflow that was started. It may be another one, which
# uses this one as a module.
GIVEN_CONFIGS = (
    workflow.overwrite_configfiles if workflow.modifier.is_main_snakefile() else []
)


def layers_of_config():
    """What overrides config/config.yaml: the files of --configfile, then the values of --config.

    Snakemake has read the files as YAML 1.1 (`1e-3` is text, `010` is 8), and has ended the run for
    a file that is missing or not YAML. Here the project's own reader reads them again, as YAML 1.2.

    Two kinds of file cannot be read again: a pipe, which Snakemake has emptied, and a YTE template,
    which Snakemake has filled in. Such a file, and the files before it, are replaced by `config`,
    in which Snakemake has merged all files.
    """
    if not workflow.modifier.is_main_snakefile():
        # A module gets its config from the workflow that was started. The values of --config belong
        # to that workflow.
        return [config]
    layers = []
    for path in GIVEN_CONFIGS:
        content = read_yaml(Path(path), str(path)) if Path(path).is_file() else None
        if content is None or "__use_yte__" in content:
            # `config` also holds the files before this one.
            layers = [config]
        else:
            layers.append(content)
    return [*layers, workflow.config_settings.config]


try:
    # The project's own reader refuses more than Snakemake's, such as a key twice in a mapping.
    MERGED_CONFIG = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    LAYERS = layers_of_config()
except UserError as error:
    raise WorkflowError(str(error)) from None
# Not `configfile:`: in a module that is given a `config:` it does nothing, and in any other module
# it adds the files of --configfile.
for layer in LAYERS:
    update_config(MERGED_CONFIG, layer)
config = MERGED_CONFIG
