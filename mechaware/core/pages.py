"""HTML pages that need no other file: their templates and the style that they share."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


def page_template(path: Path, *folders: Path) -> Template:
    """The template of a page. It escapes what it is given and refuses a missing name.

    It may include `page.css`, and the templates next to it and in `folders`.
    """
    environment = Environment(
        loader=FileSystemLoader([path.parent, *folders, Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["p"] = _show_p_value
    environment.filters["percent"] = _show_percent
    return environment.get_template(path.name)


def _show_p_value(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-3 else f"{p:.0e}"


def _show_percent(share: float | None) -> str:
    """A share as a whole percentage; nothing for a missing one."""
    return "" if share is None else f"{round(100 * share)}%"
