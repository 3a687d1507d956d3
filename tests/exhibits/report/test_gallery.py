"""The gallery copies the paper and the figures of a run and names the commit and the config.

Results of uncommitted code are refused.
"""

import json
from pathlib import Path

import pytest

from exhibits.report.gallery import write_gallery
from mechaware.core.errors import UserError


def make_results(
    folder: Path, commit: str | None = "0123abc", modified: bool | None = False
) -> None:
    """Write the paper, figures, captions and config of a run.

    `commit` and `modified` are what the record of the paper says: the commit of the code, and
    whether the code had changes that were not committed.
    """
    for name in ("results/paper", "results/figures", "captions/figures"):
        (folder / name).mkdir(parents=True)
    (folder / "results/paper/paper.pdf").write_bytes(b"%PDF-paper")
    record = {"git": {"commit": commit, "modified": modified}}
    (folder / "results/paper/paper.provenance.json").write_text(json.dumps(record))
    for name in ("radar_scores", "claims_tiers"):
        (folder / f"results/figures/{name}.png").write_bytes(f"PNG {name}".encode())
        (folder / f"captions/figures/{name}.rst").write_text(f"What {name}\nshows, in ``code``.\n")
    (folder / "config.yaml").write_text("seed: 1\n")


def gallery_of(folder: Path) -> Path:
    """Write the gallery of the run in `folder`, and return the gallery's folder."""
    write_gallery(
        folder / "results", folder / "config.yaml", folder / "captions", folder / "gallery"
    )
    return folder / "gallery"


def test_it_shows_each_figure_with_its_caption_and_names_commit_and_config(tmp_path: Path) -> None:
    make_results(tmp_path)
    (tmp_path / "gallery").mkdir()
    (tmp_path / "gallery/old.png").write_bytes(b"a figure of the gallery before")
    without_caption = tmp_path / "results/figures/older.png"
    without_caption.write_bytes(b"a figure of an older version of the workflow")

    gallery = gallery_of(tmp_path)

    assert {path.name for path in gallery.iterdir()} == {
        "README.md",
        "paper.pdf",
        "radar_scores.png",
        "claims_tiers.png",
    }
    assert (gallery / "claims_tiers.png").read_bytes() == b"PNG claims_tiers"

    page = (gallery / "README.md").read_text()
    assert "a run with `config/config.yaml`" in page
    assert "commit `0123abc`" in page
    # printf 'seed: 1\n' | sha256sum
    assert "`adf0396d435b4047092c20dada268d22d8db7f192fe2a8a9a283c9e9dea6af54`" in page
    assert "![claims_tiers](claims_tiers.png)\n\nWhat claims_tiers shows, in `code`.\n" in page


@pytest.mark.parametrize(
    ("commit", "modified", "message"),
    [
        ("0123abc", True, r"paper\.pdf: made with changes that no commit holds"),
        (None, None, r"paper\.pdf: its record names no commit"),
    ],
)
def test_results_of_uncommitted_code_are_refused(
    tmp_path: Path, commit: str | None, modified: bool | None, message: str
) -> None:
    make_results(tmp_path, commit, modified)

    with pytest.raises(UserError, match=message):
        gallery_of(tmp_path)
    assert not (tmp_path / "gallery").exists()


def test_without_results_there_is_no_gallery(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"paper\.pdf: not there; run `make results` first"):
        gallery_of(tmp_path)
    assert not (tmp_path / "gallery").exists()
