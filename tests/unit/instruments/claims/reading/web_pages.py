"""Web pages for tests: an article of six paragraphs, and the markup that a test adds to it."""

from pathlib import Path

import pytest

from mechaware.instruments.claims.reading.child import Answer, document_answer
from mechaware.instruments.claims.reading.readings import UnreadableError
from mechaware.instruments.claims.reading.web import read_html

PARAGRAPHS = [
    f"Paragraph {n} tells at some length what head {n} of the model does with the subject."
    for n in range(6)
]
ARTICLE = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)


def page(body: str = "", head: str = "") -> str:
    """A page with a title and an article with a heading.

    `body` is markup at the end of the article, `head` markup at the end of the page's head.
    """
    return (
        f"<!DOCTYPE html><html><head><title>A circuit</title>{head}</head>"
        f"<body><article><h1>A circuit</h1>{ARTICLE}{body}</article></body></html>"
    )


def article_page(*, before: str = "", inside: str = "", after: str = "") -> str:
    """A page without a title and a heading.

    `inside` is markup at the end of the article, `before` and `after` stand around the article.
    """
    article = f"<article>{ARTICLE}{inside}</article>"
    return f"<!DOCTYPE html><html><body>{before}{article}{after}</body></html>"


def read(folder: Path, content: str | bytes) -> Answer:
    """The answer about a page that the child process would print (`reading.child`)."""
    document = folder / "document.html"
    document.write_bytes(content if isinstance(content, bytes) else content.encode())
    return document_answer(read_html(document))


def refused(folder: Path, content: str | bytes) -> UnreadableError:
    """The error that the reader of web pages raises for a page. Its message is one line."""
    with pytest.raises(UnreadableError) as raised:
        read(folder, content)
    assert "\n" not in str(raised.value)
    return raised.value


def assert_article_is_whole(answer: Answer) -> None:
    """Each paragraph of the article is in the text."""
    for paragraph in PARAGRAPHS:
        assert paragraph in answer["text"]
