"""Shadow trees that are declared in a page, put in the place of what they show their host by."""

from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from mechaware.claims.reading.web.styles.scopes import HOST, SCOPE, SLOTTED


def flatten(tree: Any) -> None:
    """Put each shadow tree into its host, the host's children into its slots; those without a slot are not displayed.

    Style sheets and elements of a shadow tree carry its number, by which `scoped` ties their rules to it.
    """
    for number, template in enumerate(list(tree.iter("template"))):
        host = template.getparent()
        if template.get("shadowrootmode") is None or host is None or host.get(HOST):
            continue
        children = [child for child in host if child is not template]
        text, after = host.text, template.tail
        for child in list(host):
            host.remove(child)
        host.set(HOST, str(number))
        for inside in template.iterdescendants(etree.Element):
            inside.set(SCOPE, str(number))
        host.text, host[:] = template.text, list(template)
        _fill(host, children, " ".join(part for part in (text, after) if part), str(number))


def _fill(host: Any, children: list[Any], text: str, number: str) -> None:
    slots: dict[str, Any] = {}
    for slot in host.iter("slot"):
        if slot.get(SCOPE) == number:
            slots.setdefault(slot.get("name", ""), slot)
    unseen = etree.SubElement(host, "div", style="display:none!important")
    filled = set()
    for child in children:
        name = child.get("slot", "") if isinstance(child.tag, str) else ""
        slot = slots.get(name, unseen)
        if slot is not unseen and name not in filled:
            _empty(slot)
            filled.add(name)
        slot.append(child)
        if isinstance(child.tag, str):
            child.set(SLOTTED, number)
    if text.strip():
        slot = slots.get("", unseen)
        if slot is not unseen and "" not in filled:
            _empty(slot)
        slot.text = text


def _empty(slot: Any) -> None:
    slot.text, slot[:] = None, []
