"""Passages that a web page shows and text extraction leaves out are listed.

They are no sign that the page hides anything.
"""

# ruff: noqa: RUF001 - Chinese and Japanese texts have full-width marks

from pathlib import Path

import pytest

from mechaware.instruments.claims.reading.text import extract_text
from tests.unit.instruments.claims.reading.web_pages import (
    PARAGRAPHS,
    article_page,
    assert_article_is_whole,
    page,
    read,
)


@pytest.mark.parametrize(
    ("content", "passages"),
    [
        pytest.param(
            article_page(
                inside="<aside><p>The random control restores 88 percent of the gap.</p></aside>"
            ),
            [("aside", "The random control restores 88 percent of the gap.")],
            id="a sidebar in the article",
        ),
        pytest.param(
            article_page(
                after="<footer><p>The effect did not replicate.</p>"
                "<p>Two of five seeds failed.</p></footer>"
            ),
            [("footer", "The effect did not replicate.\nTwo of five seeds failed.")],
            id="a footer of two paragraphs",
        ),
        pytest.param(
            article_page(
                after="<div class=sidebar><p>Three runs <b>out of</b> five failed.</p></div>"
            ),
            [("p", "Three runs out of five failed.")],
            id="a box beside the article",
        ),
        pytest.param(
            article_page(
                after="<section class=footnotes><ol><li>We dropped the two worst seeds."
                "<li>The scale is logarithmic here.</ol></section>"
            ),
            [("li", "We dropped the two worst seeds."), ("li", "The scale is logarithmic here.")],
            id="footnotes",
        ),
        pytest.param(
            article_page(
                after="<footer><table><tr><th>Head<th>Effect"
                "<tr><td>9.1<td>0.85<tr><td>9.6<td>0.77</table></footer>"
            ),
            [("table", "Head Effect 9.1 0.85 9.6 0.77")],
            id="a table of numbers",
        ),
        pytest.param(
            article_page(after="<svg><text>The effect of each head</text></svg>"),
            [("svg", "The effect of each head")],
            id="a drawing",
        ),
        pytest.param(
            article_page(before="<nav><ul><li>Home<li>The papers of our lab<li>News</ul></nav>"),
            [("nav", "The papers of our lab")],
            id="a menu",
        ),
        pytest.param(
            article_page(
                after=f"<aside><p>{PARAGRAPHS[3]} No seed confirms any of this.</p></aside>"
            ),
            [("aside", "No seed confirms any of this.")],
            id="only the sentence that the article lacks",
        ),
        pytest.param(
            article_page(after="<aside><p>对照实验失败了。</p></aside>"),
            [("aside", "对照实验失败了。")],
            id="Chinese words",
        ),
        pytest.param(
            article_page(after="<aside><p>対照実験は失敗した。シードは一つだけだ。</p></aside>"),
            [("aside", "対照実験は失敗した。シードは一つだけだ。")],
            id="two Japanese sentences",
        ),
        pytest.param(
            article_page(after="<aside><p>다섯 모델 중 둘에서 실패했다.</p></aside>"),
            [("aside", "다섯 모델 중 둘에서 실패했다.")],
            id="Korean words",
        ),
        pytest.param(
            article_page(after="<aside><p>การทดลองล้มเหลว</p></aside>"),
            [("aside", "การทดลองล้มเหลว")],
            id="Thai letters",
        ),
        pytest.param(
            article_page(
                inside="<p>我们逐一消融每个注意力头，并测量准确率。</p>",
                after="<aside><p>两个模型失败了！我们逐一消融每个注意力头，并测量准确率。只用了一个种子。</p></aside>",
            ),
            [("aside", "两个模型失败了！ 只用了一个种子。")],
            id="only the Chinese sentences that the article lacks",
        ),
        pytest.param(
            article_page(
                inside="<p>The cir<b>cuit</b> was found in one model.</p>",
                after="<aside><p>The cir cuit was found in one model. "
                "The cir cuit was not found in others.</p></aside>",
            ),
            [("aside", "The cir cuit was not found in others.")],
            id="only the sentence that the article lacks, whatever its spaces",
        ),
    ],
)
def test_what_extraction_leaves_out_is_listed_and_not_taken_to_be_hidden(
    tmp_path: Path, content: str, passages: list[tuple[str, str]]
) -> None:
    """`passages` are the element and the text of each passage that is listed."""
    answer = read(tmp_path, content)

    listed = [(passage["element"], passage["text"]) for passage in answer["left_out"]]
    assert listed == passages
    for _, text in passages:
        assert text not in answer["text"]
    assert_article_is_whole(answer)
    assert answer["hidden"] == []
    # The flag of every article here: none reports a variance.
    assert answer["flags"] == ["NO_VARIANCE_REPORTED"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            article_page(before="<nav><a href=/>Home</a> <a href=/blog>Blog</a></nav>"),
            id="a short menu",
        ),
        pytest.param(
            article_page(before="<nav><ul><li>Home<li>Our blog<li>All papers<li>Search</ul></nav>"),
            id="a list of short links",
        ),
        pytest.param(
            article_page(after="<button>Accept all of the cookies</button>"), id="a button"
        ),
        pytest.param(
            article_page(after="<select><option>The Kingdom of the Netherlands</select>"),
            id="a list to select from",
        ),
        pytest.param(
            article_page(before="<noscript>Please enable scripts to see the figures.</noscript>"),
            id="words for readers without scripts",
        ),
        pytest.param(
            article_page(after="<aside hidden><p>We hope that nobody sees this.</p></aside>"),
            id="hidden words",
        ),
        pytest.param(
            article_page(after="<script>let words = 'these are words of code';</script>"), id="code"
        ),
        pytest.param(
            article_page(after="<aside>what head 3 of the model does</aside>"),
            id="the article's words again",
        ),
        pytest.param(
            article_page(
                inside="<p>So <math alttext='a+b+c+d=e'><mi>a</mi><mi>b</mi><mi>c</mi>"
                "<annotation>a+b+c+d=e and more</annotation></math>.</p>"
            ),
            id="formulas",
        ),
        pytest.param(
            article_page(
                inside="<p>Cir<b>cuits</b> of he<i>ads</i> mo<sup>ve</sup> "
                "na<em>mes</em><sup>3</sup> ab<u>out</u>.</p>"
            ),
            id="words of which a part is marked",
        ),
        pytest.param(
            article_page(inside="<table><tr><td>The head of layer nine<td>9.1<td>0.85</table>"),
            id="a row of the article's table",
        ),
        pytest.param(
            article_page(before="<nav><a href=/>关于我</a></nav>"), id="three Chinese words"
        ),
        pytest.param(
            article_page(
                inside="<p>我们逐一消融每个注意力头。</p>", after="<aside>消融每个注意力头</aside>"
            ),
            id="the article's Chinese words again",
        ),
        pytest.param(
            article_page(
                inside="<p>The inter<b>vention</b> re<i>stores</i> accur<b>acy</b> to ninety.</p>",
                after="<aside>Theinter ventionre storesaccur acyto ninety</aside>",
            ),
            id="the article's words with spaces in other places",
        ),
        pytest.param(
            article_page(inside="<p>The first line of words<br>and the second line of words.</p>"),
            id="broken lines",
        ),
    ],
)
def test_short_texts_controls_hidden_texts_and_texts_that_are_read_are_not_listed(
    tmp_path: Path, content: str
) -> None:
    answer = read(tmp_path, content)

    assert answer["left_out"] == []
    assert_article_is_whole(answer)


# lxml reads neither an element inside 255 others nor what follows it.
INSIDE = "The control failed in all runs."
BEHIND = "So did the ablation of it."


def nested(depth: int) -> str:
    """A page with a sentence inside `depth` elements, and another sentence behind them."""
    begins = "<div>" * depth
    ends = "</div>" * depth
    return page(f"{begins}<p>{INSIDE}</p>{ends}<p>{BEHIND}</p>")


def test_what_is_nested_too_deep_to_be_read_is_listed_with_all_that_follows(tmp_path: Path) -> None:
    answer = read(tmp_path, nested(300))

    assert [passage["text"] for passage in answer["left_out"]] == [INSIDE, BEHIND]


def test_what_is_nested_less_deep_is_read(tmp_path: Path) -> None:
    answer = read(tmp_path, nested(200))

    assert answer["left_out"] == []
    assert INSIDE in answer["text"]


def test_a_paper_that_is_no_web_page_has_nothing_left_out(tmp_path: Path) -> None:
    document = tmp_path / "document.txt"
    document.write_text("Words of a paper, of which all are read.")

    _, about = extract_text(document, paper="p")

    assert about.left_out == []
