"""The catalogue of the results: an RO-Crate that says what each file is, and from what and by what it was made.

It follows RO-Crate 1.1 (https://w3id.org/ro/crate/1.1), which every reader knows, and the profile Process Run Crate.
"""

import hashlib
import json
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from rocrate.model import ContextEntity, DataEntity, Entity, SoftwareApplication
from rocrate.rocrate import ROCrate

from mechaware.files import replacing, sha256
from mechaware.provenance import REPOSITORY, sidecar

VERSION = "1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}
# Models of these kinds are inputs; the workflow makes the others.
GIVEN_MODELS = ("wheel", "hub", "local")

Record = Mapping[str, Any]


def write_crate(
    out: Path, *, results: list[Path], records: list[Path], inputs: list[Path], captions: list[Path], citation: Path
) -> None:
    """Write the catalogue of the folder in which `out` lies; nothing is copied.

    `results` lie in that folder, and so do their provenance records. A result is named by the caption of its name, a
    page by its own title. `inputs` are named by their content, so that a file that no commit holds has a name, too:
    `swh:1:cnt:` and git's hash of it, an identifier of Software Heritage. `citation` is CITATION.cff. The date is that
    of the last commit that the records name; outside a git checkout there is none.
    """
    crate = ROCrate(version=VERSION)
    cited = yaml.safe_load(citation.read_text(encoding="utf-8"))
    read = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(records)]
    made = [
        *_results(crate, out.parent, sorted(results), captions),
        *_records(crate, out.parent, sorted(records)),
    ]
    given = [*_inputs(crate, sorted(inputs)), *_models(crate, read)]
    software = _software(crate, read, cited)
    action = crate.add_action(
        _unpacked(software),
        identifier="#run",
        object=given,
        result=made,
        properties={
            "name": "The run of the workflow that made these results",
            "description": "Its steps, config leaves and seeds stand in the provenance record beside each result.",
        },
    )
    _describe(crate, cited, read, action)
    with replacing(out) as partial:
        text = json.dumps(crate.metadata.generate(), indent=2, sort_keys=True, ensure_ascii=False)
        partial.write_text(text + "\n", encoding="utf-8")


def _describe(crate: ROCrate, cited: Record, records: list[Record], action: Entity) -> None:
    """The crate as a whole."""
    crate.name = f"Results of {cited['title']}"
    crate.description = cited["abstract"]
    crate.keywords = cited["keywords"]
    crate.license = crate.add(
        ContextEntity(
            crate,
            f"https://spdx.org/licenses/{cited['license']}",
            {"@type": "CreativeWork", "name": f"{cited['license']} licence"},
        )
    )
    authors = [
        crate.add(ContextEntity(crate, f"#author-{place}", {"@type": "Organization", "name": author["name"]}))
        for place, author in enumerate(cited["authors"], 1)
    ]
    crate.root_dataset["author"] = _unpacked(authors)
    crate.root_dataset["citation"] = [_paper(crate, place, paper) for place, paper in enumerate(cited["references"], 1)]
    crate.root_dataset["conformsTo"] = crate.add(
        ContextEntity(crate, PROFILE, {"@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"})
    )
    crate.root_dataset["mentions"] = action
    if dates := list(filter(None, map(_commit_date, _commits(records)))):
        crate.datePublished = max(dates, key=datetime.fromisoformat)
    else:
        del crate.root_dataset["datePublished"]  # the library's, which is the time of writing


def _paper(crate: ROCrate, place: int, paper: Record) -> Entity:
    """A source paper and its authors."""
    authors = [
        crate.add(
            ContextEntity(
                crate,
                f"#paper-{place}-author-{rank}",
                {"@type": "Person", "name": f"{person['given-names']} {person['family-names']}"},
            )
        )
        for rank, person in enumerate(paper["authors"], 1)
    ]
    properties = {"@type": "ScholarlyArticle", "name": paper["title"], "author": _unpacked(authors)}
    return crate.add(ContextEntity(crate, f"#paper-{place}", properties))


def _results(crate: ROCrate, root: Path, results: list[Path], captions: list[Path]) -> Iterator[Entity]:
    texts = {path.stem: _plain(path.read_text(encoding="utf-8")) for path in captions}
    for path in results:
        text = texts.get(path.stem) or _title(path)
        properties = {"name": re.split(r"[.:]\s", text, maxsplit=1)[0], "description": text, **_contents(path)}
        if (record := sidecar(path)).exists():
            properties["subjectOf"] = {"@id": record.relative_to(root).as_posix()}
        yield crate.add_file(path, path.relative_to(root), properties=properties)


def _records(crate: ROCrate, root: Path, records: list[Path]) -> Iterator[Entity]:
    for path in records:
        properties = {"name": f"How {path.name.removesuffix('.provenance.json')} was made", **_contents(path)}
        yield crate.add_file(path, path.relative_to(root), properties=properties)


def _inputs(crate: ROCrate, inputs: list[Path]) -> Iterator[Entity]:
    for path in inputs:
        inside = path.resolve().is_relative_to(REPOSITORY)
        name = path.resolve().relative_to(REPOSITORY).as_posix() if inside else path.name
        identifier = f"swh:1:cnt:{git_blob(path)};path=/{name}"
        yield crate.add(DataEntity(crate, identifier, {"@type": "File", "name": name, **_contents(path)}))


def git_blob(path: Path) -> str:
    """The hash by which git and Software Heritage know a file's content, in hexadecimal."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _models(crate: ROCrate, records: list[Record]) -> Iterator[Entity]:
    models = {model["name"]: model for record in records for model in record["models"]}
    for name in sorted(models):
        model = models[name]
        if model["kind"] in GIVEN_MODELS:
            properties = {"name": name, "version": model["revision"], "sha256": model["weights_sha256"]}
            yield crate.add(ContextEntity(crate, f"#model-{name}", {"@type": "CreativeWork", **properties}))


def _software(crate: ROCrate, records: list[Record], cited: Record) -> list[Entity]:
    """The software at each commit that made a result, which needs Python and the packages that were there."""
    packages = {(name, version) for record in records for name, version in record["packages"].items()}
    needed = [
        crate.add(SoftwareApplication(crate, f"#{name}-{version}", {"name": name, "version": version}))
        for name, version in [("Python", platform.python_version()), *sorted(packages)]
    ]
    changed = any(record["git"]["modified"] for record in records)
    return [
        crate.add(
            SoftwareApplication(
                crate,
                f"swh:1:rev:{commit}" if commit else "#mechaware",
                {
                    "name": f"mechaware {cited['version']}",
                    "description": cited["title"] + (", with changes that no commit holds" if changed else ""),
                    "version": commit or cited["version"],
                    "license": {"@id": f"https://spdx.org/licenses/{cited['license']}"},
                    "softwareRequirements": needed,
                },
            )
        )
        for commit in _commits(records)
    ]


def _commits(records: Iterable[Record]) -> list[str]:
    """The commits that the records name; of results made outside a git checkout, an empty one."""
    return sorted({record["git"]["commit"] or "" for record in records})


def _commit_date(commit: str) -> str | None:
    """When a commit was made, in ISO 8601; nothing if this is no checkout that has it."""
    command = ["git", "-C", str(REPOSITORY), "show", "--no-patch", "--format=%cI", f"{commit}^{{commit}}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()


def _unpacked(entities: list[Entity]) -> Entity | list[Entity]:
    """One entity alone, as RO-Crate 1.1 asks for it."""
    return entities[0] if len(entities) == 1 else entities


def _contents(path: Path) -> dict[str, str]:
    """Format, size in bytes and fingerprint of a file."""
    return {
        "encodingFormat": FORMATS.get(path.suffix, "application/octet-stream"),
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
    }


def _plain(text: str) -> str:
    """A caption without its markup, on one line."""
    return re.sub(r"(\*\*|``|\*)(\w[^*`]*)\1", r"\2", " ".join(text.split()))


def _title(path: Path) -> str:
    """What a page calls itself; the file's name where it does not say."""
    found = re.search("<title>(.*?)</title>", path.read_text(encoding="utf-8")) if path.suffix == ".html" else None
    return found[1] if found else path.name
