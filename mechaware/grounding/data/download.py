"""Fetches an NL-to-SQL dataset from the Hugging Face hub."""

import shutil
from pathlib import Path

from mechaware.errors import UserError
from mechaware.files import replacing


def fetch_dataset(repo: str, revision: str, out: Path) -> None:
    """Download the Parquet and JSON-lines files of a hub dataset at a commit into the folder `out`.

    `revision` is the commit or its first digits; the file COMMIT in `out` holds all digits. Raises `UserError` if the
    hub cannot be reached or if not exactly one commit begins so.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    with replacing(out) as folder:
        try:
            commits = HfApi().list_repo_commits(repo, repo_type="dataset")
            matching = [commit.commit_id for commit in commits if commit.commit_id.startswith(revision)]
            if len(matching) != 1:
                raise UserError(
                    f"dataset {repo}: {len(matching)} commits begin with {revision}; correct grounding/data/revision"
                )
            snapshot_download(
                repo,
                repo_type="dataset",
                revision=matching[0],
                local_dir=folder,
                allow_patterns=["*.parquet", "*.jsonl"],
            )
        except (OSError, HTTPError, ValueError) as error:  # ValueError: an invalid name, or a reply of something else
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise UserError(
                f"dataset {repo} at {revision}: the hub cannot provide it ({reason}); set "
                "grounding/data/source to generated, or to local with a copy of the dataset"
            ) from error
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        (folder / "COMMIT").write_text(f"{matching[0]}\n")
