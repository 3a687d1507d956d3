"""Datasets of rows fetched from a hub: their tables whole, or a refusal and nothing at all."""

import json
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.importing import fetch_dataset
from tests.unit.models.local_hub import PICKLE, REPO, Hub, fetch, hub_at, serving

# Two commits that begin alike, and the command that fetches the first by its short name.
COMMIT = "98769e6" + "0" * 33
OTHER_COMMIT = "98769e7" + "0" * 33
FETCH = ("grounding.fetch_sql", "--repo", REPO, "--revision", "98769e6", "--dataset")
FILES = {
    "README.md": b"a dataset",
    "data/train-00000-of-00001.parquet": b"PAR1 of train",
    "data/test-00000-of-00001.parquet": b"PAR1 of test",
    "valid.jsonl": b"{}\n",
    "data/cache.pkl": PICKLE,
    "load.py": b"raise SystemExit",
}
TABLES = {"data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet", "valid.jsonl"}


def failure(url: str, out: Path, *, repo: str = REPO, revision: str = "98769e6") -> str:
    """The error of a fetch that must fail: one line, and nothing left at `out` or beside it."""
    with hub_at(url), pytest.raises(UserError) as raised:
        fetch_dataset(repo, revision, out)
    assert not out.parent.exists() or not list(out.parent.iterdir())
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "datasets" / "mine"


def test_a_short_commit_is_resolved_and_its_tables_fetched_whole(out: Path) -> None:
    revisions = {COMMIT: FILES, OTHER_COMMIT: {"data/train.parquet": b"another"}}

    with serving(Hub(revisions, commits=[OTHER_COMMIT, COMMIT])) as hub:
        run = fetch(hub.url, out, FETCH)

    assert run.returncode == 0, run.stderr
    found = {}
    for path in out.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(out))] = path.read_bytes()
    tables = {name: FILES[name] for name in TABLES}
    assert found == tables | {"COMMIT": f"{COMMIT}\n".encode()}
    # No pickle, no code, no README.
    assert set(hub.downloaded) == TABLES
    assert {path.name for path in out.parent.iterdir()} == {"mine", "mine.provenance.json"}

    record = json.loads((out.parent / "mine.provenance.json").read_text())
    assert record["steps"][-1]["parameters"] == {"repo": REPO, "revision": "98769e6"}


@pytest.mark.parametrize(
    ("revision", "matching"),
    [
        pytest.param("abcdef0", 0, id="of no commit"),
        pytest.param("98769e", 2, id="of two commits"),
        pytest.param("8769e60", 0, id="not from the beginning"),
    ],
)
def test_a_revision_that_does_not_begin_exactly_one_commit_is_refused(
    out: Path, revision: str, matching: int
) -> None:
    with serving(Hub({COMMIT: FILES}, commits=[OTHER_COMMIT, COMMIT])) as hub:
        message = failure(hub.url, out, revision=revision)

    assert message == (
        f"dataset {REPO}: {matching} commits begin with {revision}; correct grounding/data/revision"
    )
    assert hub.downloaded == []


@pytest.mark.parametrize(
    ("repo", "gated", "reason"),
    [
        pytest.param("owner/absent", False, "RepositoryNotFoundError", id="absent"),
        pytest.param("own er/tiny", False, "HFValidationError", id="no name"),
        pytest.param(REPO, True, "GatedRepoError", id="gated"),
        pytest.param(REPO, False, "ConnectError", id="no server"),
    ],
)
def test_a_dataset_that_the_hub_cannot_provide_is_refused_with_two_remedies(
    out: Path, repo: str, gated: bool, reason: str
) -> None:
    commits = [OTHER_COMMIT, COMMIT]
    with serving(Hub({COMMIT: FILES}, commits=commits, gated=gated)) as hub:
        # No server listens on port 1.
        url = "http://127.0.0.1:1" if reason == "ConnectError" else hub.url
        message = failure(url, out, repo=repo)

    assert message == (
        f"dataset {repo} at 98769e6: the hub cannot provide it ({reason}); "
        "set grounding/data/source to generated, or to local with a copy of the dataset"
    )
