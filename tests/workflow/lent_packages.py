"""Packages for a fresh environment, lent by the environment in which the tests run.

The fresh environment gets what a library requires and nothing else, so that a test notices an
import of a package that the library does not require.
"""

from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def packages_asked_for(library: Distribution, extra: str) -> list[Distribution]:
    """All packages that the library requires with `extra`, directly or through other packages."""
    packages: dict[str, Distribution] = {}
    of_library = [Requirement(line) for line in library.requires or ()]
    # Requirements to follow, each with the extra that is asked for of the package that states it.
    waiting = [(requirement, extra) for requirement in of_library]
    while waiting:
        requirement, asked_extra = waiting.pop()
        marker = requirement.marker
        if marker is not None and not marker.evaluate({"extra": asked_extra}):
            continue

        if requirement.name == library.name:
            # An extra that includes another one, as `workflow` has `mechaware[claims]`.
            for included in requirement.extras:
                waiting += [(each, included) for each in of_library]
            continue

        package = distribution(requirement.name)
        # What the package requires for an extra, and, when it is first met, without an extra ("").
        extras = list(requirement.extras)
        if requirement.name not in packages:
            extras.append("")
        packages[requirement.name] = package
        for line in package.requires or ():
            waiting += [(Requirement(line), each) for each in extras]
    return list(packages.values())


def lend(package: Distribution, site: Path) -> None:
    """Link the files of a package of this environment into `site`, the folder of packages of
    another environment.
    """
    for file in package.files or ():
        top = file.parts[0]
        link = site / top
        # `..` leads to commands outside the folder of packages; `__pycache__` is shared by packages
        # that are a single file.
        if top not in ("..", "__pycache__") and not link.exists():
            link.symlink_to(Path(str(package.locate_file(top))).absolute())
