"""The documents that a user reads: links lead to files and headings, keys of the config exist, and
two documents that show the same detector agree.

tests/unit/test_documented_numbers.py checks the numbers that they quote.
"""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    *REPOSITORY.glob("*.md"),
    *REPOSITORY.glob("docs/**/*.md"),
    *REPOSITORY.glob("tests/**/*.md"),
]


@pytest.mark.parametrize(
    "path", sorted(DOCUMENTS), ids=lambda path: str(path.relative_to(REPOSITORY))
)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", path.read_text()):
        name, _, heading = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def headings(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a Markdown file."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_keys_that_the_documents_name_are_in_the_reference() -> None:
    reference = (REPOSITORY / "docs/configuration.md").read_text()
    for path in [REPOSITORY / "README.md", *REPOSITORY.glob("docs/**/*.md")]:
        for key in re.findall(r"`((?:radar|grounding|claims|figures)/[\w/]+)`", path.read_text()):
            assert f"| `{key}` |" in reference, f"{path}: {key}"


def test_the_tutorial_on_cards_shows_the_detector_of_the_recipe() -> None:
    """The detector of the recipe in CONTRIBUTING.md is run by tests/workflow/test_recipes.py.

    The tutorial's copy is not run, because its card would train twins first.
    """
    tutorial = (REPOSITORY / "docs/tutorials/card.md").read_text()
    (module,) = re.findall(r"^```python\n.*?^```$", tutorial, re.M | re.S)
    assert module in (REPOSITORY / "CONTRIBUTING.md").read_text()
