"""An environment that has some packages only."""

from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def packages_asked_for(library: Distribution, extra: str) -> list[Distribution]:
    """All packages that the library needs with the extra,
    those that its packages need among them.
    """
    found: dict[str, Distribution] = {}
    asked = [Requirement(line) for line in library.requires or ()]
    waiting = [(requirement, extra) for requirement in asked]
    while waiting:
        requirement, of_extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": of_extra}):
            continue

        if requirement.name == library.name:  # an extra that includes another one
            waiting += [(each, included) for each in asked for included in requirement.extras]
            continue

        package = distribution(requirement.name)
        is_new = requirement.name not in found
        found[requirement.name] = package
        # What a package needs for an extra is asked for each extra; without one, once.
        extras = [*requirement.extras, *([""] if is_new else [])]
        for line in package.requires or ():
            waiting += [(Requirement(line), each) for each in extras]
    return list(found.values())


def lend(package: Distribution, site: Path) -> None:
    """Link the files of a package of this environment into another
    environment's folder of packages.
    """
    for file in package.files or ():
        top = file.parts[0]
        link = site / top
        if top not in ("..", "__pycache__") and not link.exists():
            link.symlink_to(Path(str(package.locate_file(top))).absolute())
