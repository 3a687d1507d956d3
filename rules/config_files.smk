"""The config: config/config.yaml, overridden by the user's files and flags; no rules."""

import os
import sys
from pathlib import Path

from snakemake.utils import update_config


def read_only(*folders):
    """The message for the first folder that exists and is read-only; None without such a folder."""
    for folder in folders:
        if os.path.exists(folder) and not os.access(folder, os.W_OK):
            return (
                f"{Path(folder).absolute()}: read-only; "
                "make it writable, or run in another folder with --directory"
            )


# Even a dry run and a report write to these folders. `onstart` (Snakefile) checks the folders that
# only jobs write to.
if fault := read_only(".", ".snakemake"):
    raise WorkflowError(fault)
if workflow.modifier.path_modifier.prefix:
    raise WorkflowError("a module with `prefix:` is not supported; leave it out")
REPOSITORY = Path(workflow.current_basedir).parent
# Installed, the workflow lies in the package, in the folder mechaware/ (setup.py).
INSTALLED = (REPOSITORY / "__init__.py").exists()
LIBRARY = REPOSITORY.parent if INSTALLED else REPOSITORY
sys.path.insert(0, str(LIBRARY))
if INSTALLED:
    from mechaware.core.run_module import RepositoryFinder

    sys.meta_path.insert(0, RepositoryFinder)

from mechaware.core.yaml_files import read_yaml  # noqa: E402
from mechaware.core.errors import UserError  # noqa: E402

# The files of --configfile belong to the workflow that was started, which may use this one as a
# module.
GIVEN_CONFIGS = (
    workflow.overwrite_configfiles if workflow.modifier.is_main_snakefile() else []
)


def layers_of_config():
    """What overrides config/config.yaml: the files of --configfile, then the values of --config.

    Snakemake has read the files as YAML 1.1 (`1e-3` is text, `010` is 8), and has ended the run for
    a file that is missing or not YAML. The project's own reader reads the files again. Two kinds of
    file it cannot read: a pipe, which Snakemake has emptied, and a template of YTE, which Snakemake
    has filled in. For such a file, and for the files before it, `config` stands: what Snakemake has
    read.
    """
    if not workflow.modifier.is_main_snakefile():
        # The values of --config also belong to the workflow that was started. It gives a module its
        # config.
        return [config]
    layers = []
    for path in GIVEN_CONFIGS:
        content = read_yaml(Path(path), str(path)) if Path(path).is_file() else None
        if content is None or "__use_yte__" in content:
            layers = [config]
        else:
            layers.append(content)
    return [*layers, workflow.config_settings.config]


try:
    # The project's own reader refuses more than Snakemake's, such as a key twice in a mapping.
    DEFAULTS = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    LAYERS = layers_of_config()
except UserError as error:
    raise WorkflowError(str(error)) from None
# Not `configfile:`: in a module that is given a `config:` it does nothing, and in any other module
# it adds the files of --configfile.
for layer in LAYERS:
    update_config(DEFAULTS, layer)
config = DEFAULTS
