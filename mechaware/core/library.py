"""What the library's public functions share: the folder config/, and the import of public names
at first use.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
# config/: in the installed package, or next to the package in the repository.
CONFIG = next(
    folder for folder in (_PACKAGE / "config", _PACKAGE.parent / "config") if folder.is_dir()
)


def at_first_use(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a package that imports its public names when
    they are first used.

    `modules` maps each public name to the module that defines it. A name that ends its module's
    dotted name, such as `radar` in `mechaware.doors.radar`, is the module itself.
    `__getattr__` raises `AttributeError` for any other name.

    Import statements would do the same, but a rule's fingerprint follows them (`code_fingerprint`):
    each rule would then depend on the whole library, and any edit would rerun everything.
    """

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(modules[name])
        is_namespace = module.__name__.rpartition(".")[2] == name
        return module if is_namespace else getattr(module, name)

    def names() -> list[str]:
        return sorted(modules)

    return load, names
