"""The site of `make site` has every document, and its reference every public
function of the library.
"""

import re
from pathlib import Path

import mechaware
import mechaware.doors.claims
import mechaware.doors.radar

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = (REPOSITORY / "mkdocs.yml").read_text()


def test_the_site_names_every_document_once() -> None:
    named = re.findall(r": (\S+\.md)$", CONFIG.partition("\nnav:\n")[2], re.M)
    documents = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
    assert sorted(named) == sorted(str(path.relative_to(REPOSITORY)) for path in documents)


def test_the_site_is_made_of_every_document() -> None:
    # The files and folders from which `make site` builds the site.
    (sources,) = re.findall(r"^SITE := (.*)$", (REPOSITORY / "Makefile").read_text(), re.M)
    documents = {path.name for path in REPOSITORY.glob("*.md")} | {"docs"}
    assert documents <= set(sources.split())


def test_the_reference_has_every_public_function_of_each_module_and_the_verdict() -> None:
    page = (REPOSITORY / "docs/api.md").read_text()
    sections = dict(re.findall(r"^## ([\w.]+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    # The page has a section for each module, `mechaware` without its two modules, and a section
    # for the class of a verdict.
    public = {
        "mechaware": set(mechaware.__all__) - {"radar", "claims"},
        "mechaware.radar": set(mechaware.doors.radar.__all__),
        "mechaware.claims": set(mechaware.doors.claims.__all__),
        "Verdicts": {"Verdict"},
    }
    assert sections.keys() == public.keys()
    for name, section in sections.items():
        paths = re.findall(r"^::: (\S+)$", section, re.M)
        assert {path.rpartition(".")[2] for path in paths} == public[name]
        for path in paths:
            module, _, function = path.rpartition(".")
            source = (REPOSITORY / f"{module.replace('.', '/')}.py").read_text()
            assert re.search(rf"^(?:def|class) {function}\b", source, re.M), path
