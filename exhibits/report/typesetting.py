"""Typesets the paper as PDF or HTML with typst.

The sources are typst files, which read values, tables, figures and captions.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import typst

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write


def typeset(
    document: Path,
    sources: Sequence[Path],
    results: Sequence[Path],
    studies: Sequence[str],
    out: Path,
) -> None:
    """Compile `document` to `out`, a PDF or an HTML page by its suffix.

    Equal inputs give equal bytes: only the compiler's own fonts are used, and no date is set.

    The files are copied to a folder of their own, so that a source can read no file but these:

    - `document` and `sources`, by their paths under the parent of the document's folder, such as
      `/paper/main.typ`;
    - `results`, by their paths under the folder that they share: `/results/...`.

    A source sees the names of the `studies`, joined by commas, as `sys.inputs.studies`.

    Raises:
        UserError: The document cannot be compiled; with the compiler's message and its place.
    """
    # Without `output`, typst returns the file's bytes. Its annotation takes literal formats only.
    compile_typst: Callable[..., bytes] = typst.compile
    with TemporaryDirectory() as folder:
        root = Path(folder)
        base = document.parent.parent
        _copy([document, *sources], base, root)
        _copy(results, Path(os.path.commonpath(results)), root / "results")
        try:
            compiled = compile_typst(
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
        partial.write_bytes(compiled)


def _copy(files: Sequence[Path], base: Path, folder: Path) -> None:
    """Copy files under `base` to the same paths under `folder`.

    Links would not do: the compiler refuses those that lead out of its root.
    """
    for file in files:
        copy = folder / file.relative_to(base)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
