"""How signatures are checked while tests run."""

from pathlib import Path

from beartype import BeartypeConf, beartype
from beartype.claw import beartype_package
from jaxtyping import install_import_hook

# An int where a float is asked for is right by PEP 484, and mypy accepts it.
CONFIGURED = BeartypeConf(is_pep484_tower=True, claw_is_pep526=False)
checked = beartype(conf=CONFIGURED)
# Shapes; names that are imported for mypy only; a class that takes no parameter while it runs.
BEYOND_BEARTYPE = ("jaxtyping", "TYPE_CHECKING", "tqdm[Any]")


def check_signatures(library: Path) -> None:
    """From here on check every signature of the package in the folder `library` at each call.

    beartype alone costs a tenth of what jaxtyping does: jaxtyping checks the modules that need it.
    """
    by_jaxtyping = []
    for path in library.rglob("*.py"):
        source = path.read_text()
        if any(word in source for word in BEYOND_BEARTYPE):
            module_path = path.relative_to(library.parent).with_suffix("")
            by_jaxtyping.append(".".join(module_path.parts))

    beartype_package(library.name, conf=CONFIGURED)
    install_import_hook(by_jaxtyping, f"{__name__}.checked")
