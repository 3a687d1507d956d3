"""How signatures are checked while tests run."""

from pathlib import Path

from beartype import BeartypeConf, beartype
from beartype.claw import beartype_package
from jaxtyping import install_import_hook

# An int where a float is asked for is right by PEP 484, and mypy accepts it.
CONFIGURED = BeartypeConf(is_pep484_tower=True, claw_is_pep526=False)
checked = beartype(conf=CONFIGURED)


def check_signatures(library: Path) -> None:
    """From here on check every signature of the package in the folder `library` at each call.

    jaxtyping checks shapes, at ten times what the types alone cost: it does so in the modules that name shapes.
    """
    shaped = [
        ".".join(path.relative_to(library.parent).with_suffix("").parts)
        for path in library.rglob("*.py")
        if "jaxtyping" in path.read_text()
    ]
    beartype_package(library.name, conf=CONFIGURED)
    install_import_hook(shaped, f"{__name__}.checked")
