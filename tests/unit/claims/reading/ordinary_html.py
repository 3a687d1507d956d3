"""Web pages that hide no words of their article, with the furniture that such pages hide."""

# ruff: noqa: E501 - markup is not broken into lines

from tests.unit.claims.reading.hiding_html import SEEN, page

CHROME = """
<header class="site"><a class="skip-link" href="#main">Skip to the main content of this page</a>
<nav class="menu"><button>Menu</button><ul class="closed"><li>All the papers of this year and of the year before</li></ul></nav></header>
"""
CHROME_SHEET = """
.skip-link{position:absolute;left:-9999px} .skip-link:focus{left:0} .closed{display:none} .menu:hover .closed{display:block}
.cookie-banner{display:none} .sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}
@media print{nav,.no-print{display:none} body{color:black}} @media (max-width:600px){.wide{display:none}}
sup,sub{line-height:0} a:hover{opacity:0} img{max-width:100%;height:auto} p::before{content:none;display:none}
"""


def site(body: str, sheet: str = "", head: str = "") -> str:
    """An article with the furniture of a site around it."""
    return (
        f"<!DOCTYPE html><html lang=en><head><title>A circuit</title>{head}<style>{CHROME_SHEET}{sheet}</style></head><body>"
        f"{CHROME}<main id=main><article><h1>A circuit</h1>{SEEN}{body}</article></main><footer><p>Imprint</p></footer>"
        "<div class='cookie-banner' role=dialog><p>This site keeps cookies so that it works as you expect it to.</p></div></body></html>"
    )


FORMULA = (
    '<math alttext="x_{i}" display="inline"><semantics><msub><mi>x</mi><mi>i</mi></msub><annotation encoding='
    '"application/x-tex">x_{i} \\text{with words of the source}</annotation></semantics></math>'
)
LATEXML = f"""
<section class="ltx_section"><h2 class="ltx_title"><span class="ltx_tag">1 </span>Results</h2>
<div class="ltx_para"><p class="ltx_p">Here {FORMULA} stands in a sentence of the paper.<span class="ltx_note ltx_role_footnote">
<sup class="ltx_note_mark">1</sup><span class="ltx_note_outer"><span class="ltx_note_content">A note at the foot of the
page.</span></span></span></p></div>
<table class="ltx_tabular"><tr><td style="background-color:#00004D;"><span class="ltx_text" style="color:#FFFFFF;">White
words in a dark cell</span></td></tr></table><p style="font-size:70%;color:#7F7F7F">A caption in grey and in small.</p></section>
"""
ORDINARY = {
    "a site": site("<p class=wide>Words for wide screens.</p>"),
    "a paper by LaTeXML": site(LATEXML),
    "formulas by KaTeX": site(
        f'<p>So <span class="katex"><span class="katex-mathml">{FORMULA}</span><span class="katex-html" aria-hidden="true">x'
        "</span></span> holds.</p>",
        ".katex-mathml{position:absolute;clip:rect(1px,1px,1px,1px);padding:0;border:0;height:1px;width:1px;overflow:hidden}",
    ),
    "a dark site": page(
        "<p>Words on a dark ground. <a>A pale link.</a></p>",
        ":root{--ground:#111;--ink:#eee} body{background:var(--ground);color:var(--ink)} a{color:#9cf}",
    ),
    "dark where the reader asks for it": site(
        "",
        "@media (prefers-color-scheme:dark){body{background:#000} p{color:#fff}} @media (prefers-color-scheme:light){p{color:#222}}",
    ),
    "labels for screen readers": site(
        '<p>See <a href="x">the code<span class="sr-only">(opens in a new window)</span></a>.</p>'
    ),
    "lazy images": site(
        '<p><img data-src=a.png alt="A figure"><noscript><img src=a.png alt="A figure"></noscript></p>'
    ),
    "a page that waits for its scripts": page("", "body{opacity:0}"),
    "a page that waits, out of sight": page("", "html{visibility:hidden}"),
    "a heading on a photograph": page(
        '<div style="background-image:url(hero.jpg)"><h2 style="color:#fff">Words over a dark image here</h2></div><p>And words below it.</p>'
    ),
    "a heading in a gradient": page(
        '<h2 style="background:linear-gradient(90deg,#c0f,#06f);-webkit-background-clip:text;color:transparent">Words in a gradient of colours</h2><p>And words below it.</p>'
    ),
    "a banner of two colours": page(
        '<p style="color:#fff;background:linear-gradient(#224, #446)">White words on a dark gradient.</p>'
    ),
    "what fades in": page(
        "<p class=fade>Words that fade in as the page opens.</p>",
        "@keyframes in{from{opacity:0}to{opacity:1}} .fade{opacity:0;animation:in 1s forwards}",
    ),
    "code": site(
        "<pre style='background:#272822;color:#f8f8f2'><code><span style='color:#66d9ef'>def</span> patch(head): pass</code></pre>"
    ),
    "badges and small print": site(
        "<p><small>Words in small print.</small> <span style='font-size:9px;color:#767676'>Nine pixels.</span></p>"
    ),
    "icons that hide their letters": site("<p><a style='text-indent:-9999px;display:block'>Home</a>Words.</p>"),
    "open details": page("<details open><summary>More</summary><p>Words of the open details here.</p></details>"),
    "only for paper": site(
        "<p class=print-only>Printed from the site of the authors on a day in June.</p>", ".print-only{display:none}"
    ),
    "arranged by position": page(
        "<p style='position:relative;left:20px;top:-2px;margin-left:-1em;transform:translateX(-2%)'>Moved a little.</p>"
    ),
    "a card": page(
        "<div style='position:relative'><p>Words of a card.</p><a style='position:absolute;inset:0'></a></div>"
    ),
    "styles of clearing and scrolling": page(
        '<div style="overflow:hidden"><p>Words in a cleared box here.</p></div><p style="backface-visibility:hidden">More.</p>'
    ),
    "shown again": page(
        '<div style="visibility:hidden"><p style="visibility:initial">Words that are shown again.</p></div><p class="x y">All unset.</p>',
        ".x{display:none} .x.y{all:unset}",
    ),
    "a fallback for old browsers": page(
        "<p class=x>Words in a grid.</p>",
        ".x{display:none;display:grid} @supports not (display:grid){.x{display:none}} @container (max-width:200px){.x{display:none}}",
    ),
    "values of other browsers": page(
        "<p class=x>Words for all.</p>",
        ".x{color:#000;color:#ggg;filter:alpha(opacity=0);display:-ms-none;*display:none} .x::-moz-focus-inner{opacity:0}",
    ),
    "a sheet that is none": page(
        "<p class=x>Words.</p>", head="<style type='text/x-template'>.x{display:none}</style>"
    ),
    "a dark banner behind": page(
        '<div style="position:relative"><div style="position:absolute;inset:0;background:#123"></div>'
        '<p style="position:relative;color:#fff">White words over a dark banner.</p></div>'
    ),
    "a dark part behind": page(
        "<div class=w><p>White words over a dark part.</p></div>",
        ".w{position:relative;z-index:0;color:#fff} .w::before{content:'';position:absolute;inset:0;background:#123;z-index:-1}",
    ),
    "below, within its own stack": page(
        '<div style="position:relative;z-index:0;background:#fff"><p style="position:relative;z-index:-1">Words of a lower layer.</p></div>'
    ),
    "columns that grow": page(
        "<div style='display:flex'><div style='flex:1;width:0;overflow:hidden'>Words of a column.</div></div>"
        "<table><tr><td style='width:0;overflow:hidden'>Words of a cell.</td></tr></table>"
    ),
    "a box of a fixed ratio": page(
        "<div style='height:0;padding-bottom:56%;overflow:hidden;position:relative'><div style='position:absolute;inset:0'>Words of a slide.</div></div>"
    ),
    "a title before the article": site("<p>Words.</p>").replace(
        "<main id=main>", "<header><h1>A title of the page before it</h1></header><main>"
    ),
    "closed details": page(
        "<details><summary>Proof</summary><p>We expand the sum over all of the heads.</p></details>"
    ),
    "a long button": page("<p><button>Show all the seven heads of the circuit</button></p>"),
    "a figure aside": page("<aside class=sidebar><p>Figure 2: what each of the heads does.</p></aside>"),
    "words twice for the blind": page("<p aria-hidden=true>Words that are marked as an ornament.</p>"),
    "a centred column": page(
        "<div style='position:relative;left:50%;margin-left:-600px;width:1200px'><p>Words in the middle.</p></div>"
    ),
    "a margin note": page(
        "<div style='margin:0 auto;max-width:600px'><p>Text.<span style='float:left;margin-left:-220px;width:200px'>Words in the margin.</span></p></div>"
    ),
    "a dark scheme": page("<p>Pale words of a dark scheme.</p>", ":root{color-scheme:dark;color:#eee}"),
    "a margin pulled through": page(
        "<div style='margin:0 -30px;background:#eee'><p style='position:relative;top:-3px'>Words above a pulled box.</p></div>"
        "<div style='margin-top:-10px;background:#fff;position:relative'><p>And words in it.</p></div>"
    ),
    "a heatmap of mixed colours": page(
        "<table><tr><td style='--v:.1'>Words in a pale cell.</td><td style='--v:.9'>Words in a navy cell.</td></tr></table>",
        "td{background:color-mix(in srgb,navy calc(var(--v)*100%),white);color:color-mix(in srgb,white calc(var(--v)*100%),black)}",
    ),
    "a symbol in a formula": page(
        "<p>So <math><mi>Lambda</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math> holds.</p>"
    ),
    "a heading on a darkened picture": page(
        "<header style='position:relative'><img src=x.jpg><div style='position:absolute;inset:0;background:rgba(0,0,0,.6)'></div>"
        "<h2 style='position:absolute;bottom:0;color:#fff'>A heading on a darkened picture</h2></header>"
    ),
    "a dark shadow inside": page("<p style='box-shadow:inset 0 0 0 999px #123;color:#fff'>Words on a dark shadow.</p>"),
    "a page that loads": site("", head="<script>go()</script>").replace(
        "<header", "<div id=preloader style='position:fixed;inset:0;background:#fff'>Loading ...</div><header", 1
    ),
    "a request for consent": page(
        "<div class=cookie-consent style='position:fixed;inset:0;background:#fff'>We use cookies. Accept?</div>"
    ),
    "a main part that waits": page("", "article{display:none}", "<script>show()</script>"),
    "an application that scrolls within": page(
        "<div style='height:60px;overflow:hidden'><div style='height:100%;overflow:auto'><p>First words.</p><p>Second words.</p><p>Third words.</p>"
        "<p>Words far down in a box that scrolls.</p></div></div>"
    ),
    "a card that moves a little": page(
        "<div style='overflow:hidden;box-shadow:0 2px 8px #0003'><p style='transform:translateY(4px)'>Words of a card that moves.</p></div>"
    ),
    "words over the foot of a figure": page(
        "<figure style='aspect-ratio:16/9;overflow:hidden;position:relative'><img src=a.png>"
        "<figcaption style='position:absolute;bottom:0;background:rgba(0,0,0,.7);color:#fff'>Words over a figure.</figcaption></figure>"
    ),
    "a component": page(
        "<x-a><template shadowrootmode=open><style>p{color:#333}:host{display:block}</style><p>Words of a component.</p><slot></slot></template>"
        "<p>Words in its slot.</p></x-a>"
    ),
    "a relative colour": page("<p style='color:rgb(from #222 r g b / 80%)'>Words in a relative colour.</p>"),
    "a figure that is drawn": page(
        "<figure style='position:relative'><svg width=600 height=200><rect width=600 height=200 fill=white /></svg><figcaption>Words below a drawing.</figcaption></figure>"
    ),
}
