"""Typesets the paper as PDF or HTML: typst reads the sources, and they read values, tables, figures and captions."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write


def typeset(
    document: Path,
    sources: Sequence[Path],
    results: Sequence[Path],
    studies: Sequence[str],
    out: Path,
) -> None:
    """Compile `document` to `out`, a PDF or an HTML page by its suffix: equal bytes for equal inputs.

    The compiler sees only these files, so that a file which was not given cannot be read:

    - `document` and `sources`, by their paths under the parent of the document's folder: `/paper/...`;
    - `results`, by their paths under the folder that they share: `/results/...`.

    It has its own fonts only, and sets no date. Raises `UserError` with the compiler's message and place.
    """
    import typst

    compiled: Callable[..., bytes] = typst.compile
    with TemporaryDirectory() as folder:
        root = Path(folder)
        base = document.parent.parent
        _copy([document, *sources], base, root)
        _copy(results, Path(os.path.commonpath(results)), root / "results")
        try:
            made = compiled(
                root / document.relative_to(base),
                root=root,
                format=out.suffix.removeprefix("."),
                sys_inputs={"results": "/results", "studies": ",".join(studies)},
                ignore_system_fonts=True,
                timestamp=0,
            )
        except typst.TypstError as error:
            raise UserError(f"{document}: {error.diagnostic.strip()}") from None
    with atomic_write(out) as partial:
        partial.write_bytes(made)


def _copy(files: Sequence[Path], base: Path, folder: Path) -> None:
    """Files under `base` to their places under `folder`: the compiler refuses links that lead out of its root."""
    for file in files:
        copy = folder / file.relative_to(base)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
