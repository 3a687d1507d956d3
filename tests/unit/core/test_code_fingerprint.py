"""A step's fingerprint follows its code and all that it imports, and nothing that does not run."""

from pathlib import Path

import pytest

from mechaware.core.code_fingerprint import code_fingerprint, read_code
from mechaware.core.digests import Digests
from mechaware.core.errors import UserError

CODE = '''"""A module."""
import os.path
from collections import Counter


class Reply:
    """What a judge is asked for."""


def count(words):
    """The counts."""
    return Counter(words)
'''
SAME = {
    "a comment": CODE.replace("return", "# counted at once\n    return"),
    "another layout": CODE.replace("Counter(words)", "Counter(\n        words\n    )"),
    "another docstring of the module": CODE.replace("A module", "A longer text"),
    "no docstring of a function": CODE.replace('    """The counts."""\n', ""),
}
CHANGED = {
    "another expression": CODE.replace("Counter(words)", "Counter(set(words))"),
    "another name": CODE.replace("def count", "def number"),
    "a further import": CODE.replace("import os.path", "import os.path, sys"),
    # Docstrings of classes count: a judge is sent the docstring of its reply's class.
    "another docstring of a class": CODE.replace("asked for", "asked for, in one word"),
}


def fingerprint(folder: Path, code: str) -> str:
    path = folder / "module.py"
    path.write_text(code)
    read_code.cache_clear()
    return read_code(path).fingerprint


@pytest.mark.parametrize("code", SAME.values(), ids=SAME)
def test_what_does_not_run_leaves_the_fingerprint(tmp_path: Path, code: str) -> None:
    assert code != CODE
    assert fingerprint(tmp_path, code) == fingerprint(tmp_path, CODE)


def test_a_docstring_of_an_async_function_does_not_count(tmp_path: Path) -> None:
    with_docstring = 'async def ask():\n    """One question."""\n    return 1\n'
    without_docstring = "async def ask():\n    return 1\n"
    assert fingerprint(tmp_path, with_docstring) == fingerprint(tmp_path, without_docstring)


@pytest.mark.parametrize("code", CHANGED.values(), ids=CHANGED)
def test_another_code_is_another_fingerprint(tmp_path: Path, code: str) -> None:
    assert code != CODE
    assert fingerprint(tmp_path, code) != fingerprint(tmp_path, CODE)


def test_a_name_imported_from_a_package_may_be_a_module_of_it(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(CODE)
    read_code.cache_clear()
    assert sorted(read_code(path).imported) == ["collections", "collections.Counter", "os.path"]


def test_files_of_the_users_own_package_count_by_code_or_by_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "fingerprinted_package"
    package.mkdir()
    (package / "__init__.py").write_text(CODE)
    weights = package / "weights.txt"
    weights.write_text("0.5\n")
    monkeypatch.chdir(tmp_path)

    def of_package() -> str:
        read_code.cache_clear()
        digests = Digests(tmp_path / "digests.json")
        return code_fingerprint([], ["fingerprinted_package.count"], digests)

    first = of_package()
    (package / "__init__.py").write_text(SAME["a comment"])
    assert of_package() == first
    weights.write_text("0.6\n")
    assert of_package() != first

    (package / "__init__.py").write_text("def count(:\n")
    with pytest.raises(UserError, match=r"__init__.py, line 1: .*; correct it$"):
        of_package()
