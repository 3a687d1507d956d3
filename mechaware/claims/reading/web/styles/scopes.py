"""Selectors of a shadow tree, which hold in it alone, as selectors of the page."""

import re

from mechaware.claims.reading.web.styles.selectors import at_commas
from mechaware.claims.reading.web.values.lengths import written

SCOPE, HOST, SLOTTED = "data-shadow-scope", "data-shadow-host", "data-shadow-slotted"


def scoped(selectors: str, number: str) -> str:
    """Selectors of a shadow tree's style sheet as they are in the page."""
    parts = []
    for tokens in at_commas(written(selectors)):
        text = "".join(token.serialize() for token in tokens).strip()
        if slotted := re.search(r"::slotted\((.*)\)", text, re.S | re.I):
            parts.append(f"[{SLOTTED}='{number}']:is({slotted[1]})")
        elif re.search(r":host\b", text, re.I):
            parts.append(re.sub(r":host\b(?:\(((?:[^()]|\([^()]*\))*)\))?", lambda m: _host(m[1], number), text))
        else:
            parts.append(re.sub(r"(::?(?:before|after|first-line))?$", rf"[{SCOPE}='{number}']\1", text, count=1))
    return ", ".join(parts)


def _host(condition: str | None, number: str) -> str:
    return f"[{HOST}='{number}']" + (f":is({condition})" if condition else "")
