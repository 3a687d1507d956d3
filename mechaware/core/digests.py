"""Digests of files, so that a file counts as changed by its content and not by its date."""

import json
import os
import stat
import time
from pathlib import Path

from mechaware.core.files import atomic_write, sha256

# The digest of what cannot be read: a missing file, a folder, a file without permission. Whoever
# reads the file itself names that fault.
UNREADABLE = "unreadable"

# Bytes. A smaller file is read again each time, which takes a millisecond.
LARGE = 1_000_000

# A file that changes twice within one tick of the disk's clock has the same time after both. No
# tick is longer than two seconds.
_TICK_NS = 2_000_000_000


class Digests:
    """The SHA-256 of files. Each file is read at most once by this object.

    The digests of large files are kept in a JSON file, so that the next dry run does not read a
    model's weights again. A kept digest is used while the file's inode, size and both of its times
    are the same. The modification time alone would not do: `cp -p`, `rsync -t` and `unzip` set it.
    No program sets the time of the last change to the inode.
    """

    def __init__(self, kept: Path) -> None:
        """`kept` is the JSON file: absolute path -> inode, size, mtime and ctime in ns, digest.

        Where `kept` is damaged or cannot be written, digests are computed again, without a message.
        """
        self._kept = kept
        self._computed: dict[Path, str] = {}

    def of(self, path: Path) -> str:
        """The SHA-256 of the file's bytes in hexadecimal, or `UNREADABLE`."""
        path = path.absolute()
        if path not in self._computed:
            self._computed[path] = self._read_or_recall(path)
        return self._computed[path]

    def _read_or_recall(self, path: Path) -> str:
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):  # reading from a pipe could wait for ever
                return UNREADABLE
            if status.st_size < LARGE:
                return sha256(path)
            return self._digest_of_large(path, status)
        except OSError:
            return UNREADABLE

    def _digest_of_large(self, path: Path, status: os.stat_result) -> str:
        """The kept digest of a file in this state, or else its digest, which is then kept."""
        state = [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        match self._read_kept().get(str(path)):
            case [*kept_state, str(digest)] if kept_state == state:
                return digest

        may_change_unseen = time.time_ns() - status.st_ctime_ns < _TICK_NS
        digest = sha256(path)
        if not may_change_unseen:
            self._keep(path, [*state, digest])
        return digest

    def _read_kept(self) -> dict[str, object]:
        try:
            kept = json.loads(self._kept.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return kept if isinstance(kept, dict) else {}

    def _keep(self, path: Path, entry: list[int | str]) -> None:
        kept = self._read_kept() | {str(path): entry}
        try:
            with atomic_write(self._kept) as partial:
                partial.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        except OSError:  # read-only, full, or written by another run at this moment
            pass
