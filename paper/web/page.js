// The tables can be sorted by a column: ascending, descending, and as printed again.
"use strict";

// The number that a cell begins with, without the commas of thousands; null if it begins with none.
function leadingNumber(text) {
  const found = text.replace(/\u2212/g, "-").match(/^[<>]?([-+]?\d[\d,]*(?:\.\d+)?)/);
  return found && Number(found[1].replaceAll(",", ""));
}

// Numbers before words; empty cells last, whatever the direction.
function compareCells(a, b, direction) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const [x, y] = [leadingNumber(a), leadingNumber(b)];
  if (x !== null && y !== null) return direction * (x - y);
  if (x !== null || y !== null) return direction * (y !== null ? 1 : -1);
  return direction * a.localeCompare(b, "en");
}

function sortRows(body, column, direction, printed) {
  const cell = (row) => row.cells[column].textContent.trim();
  const rows = direction ? [...printed].sort((a, b) => compareCells(cell(a), cell(b), direction)) : printed;
  body.append(...rows);
}

for (const table of document.querySelectorAll("table")) {
  const [body] = table.tBodies;
  const printed = [...body.rows];
  const headers = [...table.querySelectorAll("thead th")];
  for (const [column, header] of headers.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const next = { ascending: "descending", descending: null }[header.getAttribute("aria-sort")];
      const order = next === undefined ? "ascending" : next;
      for (const other of headers) other.removeAttribute("aria-sort");
      if (order) header.setAttribute("aria-sort", order);
      sortRows(body, column, { ascending: 1, descending: -1 }[order] ?? 0, printed);
    });
  }
}
