"""What the resolved style of an element alone tells about its box."""

from collections.abc import Mapping

from mechaware.claims.reading.web.values.lengths import Tokens, length, words

Style = Mapping[str, Tokens]


def border(style: Style, side: str, font: float) -> float:
    """The width of the border on one side."""
    return length(style.get(f"border-{side}-width", ()), font, 0.0) or 0.0


def edge(style: Style, side: str, font: float, whole: float) -> float:
    """The width of padding and border on one side."""
    return (length(style.get(f"padding-{side}", ()), font, whole) or 0.0) + border(style, side, font)


def arranges(style: Style) -> bool:
    """Whether an element with this style makes boxes of its children, side by side or in a grid."""
    return bool({"flex", "grid", "inline-flex", "inline-grid"} & set(words(style.get("display", ()))))


def lengths_of(tokens: Tokens, font: float) -> list[float]:
    """The lengths among some tokens, in CSS pixels."""
    return [size for token in tokens if (size := length([token], font, 0.0)) is not None]


def clips(style: Style) -> bool:
    """Whether an element with this style shows nothing of its text below its box."""
    return bool({"hidden", "clip"} & set(words(style.get("overflow-y", ()))))
