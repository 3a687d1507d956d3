"""A corpus is read line by line; files without texts or in other encodings are refused."""

import re
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.corpus import corpus_texts
from tests.unit.instruments.radar.benchmark_files import write_file


def test_a_corpus_is_one_text_a_line(tmp_path: Path) -> None:
    path = write_file(tmp_path, "\ufeffOne, two.\n\n Three. \r\n", "corpus.txt")

    assert list(corpus_texts(path)) == ["One, two.", "Three."]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "corpus.txt: no text; write one text a line", id="nothing"),
        pytest.param(b"\n \n", "corpus.txt: no text; write one text a line", id="white space"),
        pytest.param(
            b"One.\nO\xf9?\n",
            "corpus.txt, line 2: not UTF-8; save the file as UTF-8",
            id="another encoding",
        ),
    ],
)
def test_a_bad_corpus_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = write_file(tmp_path, content, "corpus.txt")

    with pytest.raises(UserError, match=re.escape(message)):
        list(corpus_texts(path))
