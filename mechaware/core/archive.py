"""The catalogue of the results: an RO-Crate.

It describes each file of the results, the workflow's inputs, and the software that made the files.
It follows RO-Crate 1.1 (https://w3id.org/ro/crate/1.1), which every reader supports, and the
profile Process Run Crate.
"""

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from rocrate.model import DataEntity, Entity
from rocrate.rocrate import ROCrate

from mechaware.core.files import atomic_write, sha256
from mechaware.core.git_repository import REPOSITORY
from mechaware.core.provenance import sidecar

VERSION = "1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}
# Kinds of models that are inputs of the workflow; it makes the others itself.
INPUT_MODELS = ("wheel", "hub", "local")

# The content of a provenance record, or of CITATION.cff.
Record = Mapping[str, Any]


def write_crate(
    out: Path,
    *,
    results: list[Path],
    records: list[Path],
    inputs: list[Path],
    captions: list[Path],
    citation: Path,
) -> None:
    """Write the catalogue of the folder of `out`; nothing is copied.

    The date of publication is the date of the latest commit in the records; outside a git checkout
    there is none.

    Args:
        out: The catalogue, ro-crate-metadata.json.
        results: Files below the catalogue's folder; a folder means all files in it. The name of a
            result is the first sentence of its caption; without a caption, the title of an HTML
            page or the name of another file.
        records: The provenance records, below the catalogue's folder.
        inputs: The files that the workflow reads. The identifier of each is that of Software
            Heritage, `swh:1:cnt:` and git's hash of the content: a file outside every commit thus
            has an identifier.
        captions: The captions of results. `tables/x.rst` is the caption of the result `x` in a
            folder `tables`; `captions/x.rst` is the caption of the result `x` in any folder that
            has no caption of its own for `x`.
        citation: CITATION.cff.
    """
    crate = ROCrate(version=VERSION)
    cited: Record = yaml.safe_load(citation.read_text(encoding="utf-8"))
    loaded_records: list[Record] = []
    for path in sorted(records):
        loaded_records.append(json.loads(path.read_text(encoding="utf-8")))

    outputs = list(_results(crate, out.parent, sorted(results), captions))
    outputs += _records(crate, out.parent, sorted(records))
    input_entities = list(_inputs(crate, sorted(inputs)))
    input_entities += _models(crate, loaded_records)

    software = _software(crate, loaded_records, cited)
    action = crate.add_action(
        _unpacked(software),
        identifier="#run",
        object=input_entities,
        result=outputs,
        properties={
            "name": "The run of the workflow that made these results",
            "description": (
                "The record next to each result lists its steps, config leaves, seeds and packages."
            ),
        },
    )
    _describe(crate, cited, loaded_records, action)

    with atomic_write(out) as partial:
        text = json.dumps(crate.metadata.generate(), indent=2, sort_keys=True, ensure_ascii=False)
        partial.write_text(text + "\n", encoding="utf-8")


def _describe(crate: ROCrate, cited: Record, records: list[Record], action: Entity) -> None:
    """Describe the crate as a whole: title, authors, licence, cited papers and date."""
    crate.name = f"Results of {cited['title']}"
    crate.description = cited["abstract"]
    crate.keywords = cited["keywords"]
    licence = f"https://spdx.org/licenses/{cited['license']}"
    crate.license = _add(crate, licence, "CreativeWork", name=f"{cited['license']} licence")

    authors = []
    for number, author in enumerate(cited["authors"], start=1):
        authors.append(_add(crate, f"#author-{number}", "Organization", name=author["name"]))
    crate.root_dataset["author"] = _unpacked(authors)

    papers = []
    for number, paper in enumerate(cited["references"], start=1):
        papers.append(_add(crate, f"#paper-{number}", "ScholarlyArticle", name=paper["title"]))
    crate.root_dataset["citation"] = papers

    crate.root_dataset["conformsTo"] = _add(
        crate, PROFILE, "CreativeWork", name="Process Run Crate", version="0.5"
    )
    crate.root_dataset["mentions"] = action

    dates = []
    for commit in _commits(records):
        date = _commit_date(commit)
        if date:
            dates.append(date)
    if dates:
        crate.datePublished = max(dates, key=datetime.fromisoformat)
    else:
        # The library sets it to the time of writing, which would change the bytes in each run.
        del crate.root_dataset["datePublished"]


def _add(crate: ROCrate, identifier: str, kind: str, **properties: object) -> Entity:
    """Add an entity of the type `kind` to the crate."""
    return crate.add_jsonld({"@id": identifier, "@type": kind, **properties})


def _results(
    crate: ROCrate, root: Path, results: list[Path], captions: list[Path]
) -> Iterator[Entity]:
    """Describe the files of the results, each by its caption (`write_crate`)."""
    # ("tables", "radar_answers") -> the caption in captions/tables/radar_answers.rst
    caption_of = {}
    for path in captions:
        text = _without_markup(path.read_text(encoding="utf-8"))
        caption_of[path.parent.name, path.stem] = text

    for result in results:
        record = sidecar(result)
        for path in _files(result):
            own_caption = caption_of.get((path.parent.name, path.stem))
            text = own_caption or caption_of.get(("captions", path.stem)) or _title(path)
            first_sentence = re.split(r"[.:]\s", text, maxsplit=1)[0]
            properties = {"name": first_sentence, "description": text, **_file_properties(path)}
            if record.exists():
                properties["subjectOf"] = {"@id": record.relative_to(root).as_posix()}
            yield crate.add_file(path, path.relative_to(root), properties=properties)


def _files(result: Path) -> list[Path]:
    """The file of a result, or the files of a result that is a folder.

    Hidden files are left out: Snakemake keeps its time stamps in them.
    """
    if not result.is_dir():
        return [result]
    return sorted(path for path in result.iterdir() if not path.name.startswith("."))


def _records(crate: ROCrate, root: Path, records: list[Path]) -> Iterator[Entity]:
    """Describe the provenance records."""
    for path in records:
        properties = {
            "name": f"How {path.name.removesuffix('.provenance.json')} was made",
            **_file_properties(path),
        }
        yield crate.add_file(path, path.relative_to(root), properties=properties)


def _inputs(crate: ROCrate, inputs: list[Path]) -> Iterator[Entity]:
    """Describe the inputs, each by its content and its path in the repository.

    A file outside the repository has its name in place of the path.
    """
    for path in inputs:
        name = path.name
        if path.resolve().is_relative_to(REPOSITORY):
            name = path.resolve().relative_to(REPOSITORY).as_posix()
        identifier = f"swh:1:cnt:{_git_blob(path)};path=/{name}"
        properties = {"@type": "File", "name": name, **_file_properties(path)}
        yield crate.add(DataEntity(crate, identifier, properties))


def _git_blob(path: Path) -> str:
    """The hash of a file's content in git and Software Heritage, in hexadecimal."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _models(crate: ROCrate, records: list[Record]) -> Iterator[Entity]:
    """Describe the models that are inputs of the workflow, by name."""
    models: dict[str, Record] = {}
    for record in records:
        models |= {model["name"]: model for model in record["models"]}
    for name, model in sorted(models.items()):
        if model["kind"] in INPUT_MODELS:
            properties = {
                "name": name,
                "version": model["revision"],
                "sha256": model["weights_sha256"],
            }
            yield _add(crate, f"#model-{name}", "CreativeWork", **properties)


def _software(crate: ROCrate, records: list[Record], cited: Record) -> list[Entity]:
    """Describe this project's software at each commit that made a result.

    Without a commit its identifier is #mechaware and its version that of CITATION.cff.
    """
    software = []
    for commit in _commits(records):
        application = _add(
            crate,
            f"swh:1:rev:{commit}" if commit else "#mechaware",
            "SoftwareApplication",
            name=f"mechaware {cited['version']}",
            description=cited["title"],
            version=commit or cited["version"],
        )
        software.append(application)
    return software


def _commits(records: Iterable[Record]) -> list[str]:
    """The distinct commits in the records; "" stands for results made outside a git checkout."""
    return sorted({record["git"]["commit"] or "" for record in records})


def _commit_date(commit: str) -> str | None:
    """The date of a commit in ISO 8601; None where this checkout lacks it."""
    show = ["git", "-C", str(REPOSITORY), "show", "--no-patch", "--format=%cI"]
    try:
        run = subprocess.run(
            [*show, f"{commit}^{{commit}}"], capture_output=True, encoding="ascii", check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()


def _unpacked(entities: list[Entity]) -> Entity | list[Entity]:
    """A single entity instead of a list of one, as RO-Crate 1.1 requires."""
    return entities[0] if len(entities) == 1 else entities


def _file_properties(path: Path) -> dict[str, str]:
    """The media type, size in bytes and SHA-256 of a file."""
    return {
        "encodingFormat": FORMATS.get(path.suffix, "application/octet-stream"),
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
    }


def _without_markup(text: str) -> str:
    """A caption on one line, without markup: `**p** of *x*` becomes `p of x`."""
    return re.sub(r"(\*\*|``|\*)(\w[^*`]*)\1", r"\2", " ".join(text.split()))


def _title(path: Path) -> str:
    """The title of an HTML page; the file's name where there is none."""
    if path.suffix == ".html":
        title = re.search("<title>(.*?)</title>", path.read_text(encoding="utf-8"))
        if title:
            return title[1]
    return path.name
