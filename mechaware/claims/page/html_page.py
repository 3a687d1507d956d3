"""Renders a page of scores, for a judge's papers or a paper's judges, the page of a paper's text, and a review.

Titles, statements and evidence come from papers and judges, which may be hostile: the templates escape everything.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mechaware.claims.judges.language_model.prompts import Guide
from mechaware.claims.page import entries as words
from mechaware.claims.page.entries import UNSCORED, Entry
from mechaware.claims.page.evidence import anchor, describe_place, readable, shortened
from mechaware.claims.page.trust import A_FLOOR
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE, STATUSES, TIERS, Flag, tier_index

TEMPLATES = Path(__file__).parent / "templates"
FLAG_MEANINGS: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "the text names no standard deviation, error bar, confidence interval or bootstrap",
    "HIDDEN_TEXT": "the file holds text that a reader of its pages does not see; no judge was shown it",
    "ADDRESSES_JUDGE": "sentences seem to address whoever judges the paper, or quote such sentences",
}
# By the paper's section 3.4, in our words. The score alone decides: it may come from other evidence than the name says.
MEANINGS: Mapping[str, str] = {
    "Proposed": "stated, with little evidence",
    "Causally Suggestive": "some causal or structural evidence",
    "Mechanistically Supported": "several kinds of evidence agree",
    "Triangulated": "strong evidence throughout, with controls",
    "Validated": "replicated, also in other models",
}
UNSEEN = "The judge read the text alone: figures and tables were not seen."
MAX_CLAIMS = 4  # of a judge in a review: the one that gives the paper's score first
MAX_QUOTE = 300  # characters, in a review
# Control and bidirectional formatting.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~$!&])")
# What the templates use, by the names that they use.
NAMES: dict[str, Any] = {
    "next_steps": words.next_steps, "next_tier": words.next_tier, "worth": words.worth, "notes_of": words.notes_of,
    "evidence_of": words.evidence_of, "votes_of": words.votes_of, "claim_score": words.claim_score,
    "summary_line": words.summary_line, "faults": words.faults_of, "no_claim": words.no_claim, "middle": words.middle,
    "tier_range": words.tier_range, "tier_place": words.tier_place, "flag_titles": words.FLAG_TITLES,
    "tier_index": tier_index, "criteria": CRITERIA, "dimensions": DIMENSIONS, "leak_prone": LEAK_PRONE, "tiers": TIERS,
    "statuses": [*reversed(STATUSES), UNSCORED], "flags": FLAG_MEANINGS, "meanings": MEANINGS, "unseen": UNSEEN,
    "floor": A_FLOOR, "anchor": anchor, "shortened": shortened, "describe_place": describe_place,
    "max_claims": MAX_CLAIMS, "max_quote": MAX_QUOTE,
}  # fmt: skip


def _render(name: str, finalize: Callable[[Any], object], *, html: bool, **values: Any) -> str:
    """A template filled with values, each of which goes through `finalize`."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=html,  # noqa: S701 (Markdown is escaped by `finalize`)
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
    )
    return environment.get_template(name).render(NAMES | values)


def _render_html(name: str, *scripts: str, **values: Any) -> str:
    """A page with its style, and a policy that allows these and its scripts alone."""
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    own = {"style": Markup(style), "policy": _policy(style, *scripts)}  # noqa: S704 (ours)
    return _render(name, mark_controls, html=True, **own, **values)


def render_page(
    heading: str, lead: str, entries: Sequence[Entry], *, entry_name: str, guides: Mapping[str, Guide]
) -> str:
    """The page: an overview of the entries, then their claims.

    `entry_name` is paper or judge; `guides` say what each criterion asks.
    """
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    return _render_html(
        "page.html.j2",
        script,
        heading=heading,
        lead=lead,
        entries=entries,
        of=entry_name,
        guides=guides,
        script=Markup(script),  # noqa: S704 (ours)
        readable=lambda text: readable(str(mark_controls(text))),
    )


def render_text(title: str, marked: Markup) -> str:
    """The page of a paper's text, whose quotes are marked."""
    return _render_html("text.html.j2", title=title, text=marked)


def render_review(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide]) -> str:
    """One paper's report as Markdown for a review form: per claim what fails, what would lift it, and quotes.

    `entries` are the paper's judges.
    """
    return _render("review.md.j2", _escape_markdown, html=False, title=title, entries=entries, guides=guides)


def mark_controls(value: object) -> object:
    """Text with a visible mark for each character that controls the display or that HTML forbids."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


def _escape_markdown(value: object) -> str:
    """A value on one line, as Markdown that shows it as it is."""
    return MARKDOWN.sub(r"\\\1", re.sub(r"\s+", " ", str(mark_controls(str(value)))))


def _policy(style: str, *scripts: str) -> str:
    """A content security policy that allows the page's own style and scripts by their digests, and nothing else."""
    allowed = "".join(f"script-src '{_digest(script)}'; " for script in scripts)
    return f"default-src 'none'; style-src '{_digest(style)}'; {allowed}base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
