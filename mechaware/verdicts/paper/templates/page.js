"use strict";
const form = document.querySelector("form.filter");
const rows = [...document.querySelectorAll("tr.criterion")];
const claims = [...document.querySelectorAll("details.claim")];
const fold = document.getElementById("fold");

function chosen(name) {
  return new Set([...form.querySelectorAll(`input[name=${name}]:checked`)].map((box) => box.value));
}

function apply() {
  const dimensions = chosen("dimension");
  const statuses = chosen("status");
  for (const row of rows) {
    row.hidden = !(dimensions.has(row.dataset.dimension) && statuses.has(row.dataset.status));
  }
  for (const body of document.querySelectorAll("table.criteria tbody")) {
    body.hidden = !body.querySelector("tr.criterion:not([hidden])");
  }
  for (const claim of claims) {
    const empty = !claim.querySelector("tr.criterion:not([hidden])");
    claim.querySelector("table.criteria").hidden = empty;
    claim.querySelector(".none").hidden = !empty;
  }
  const visible = rows.filter((row) => !row.hidden).length;
  form.querySelector("output").textContent = `${visible} of ${rows.length} criteria shown`;
}

function nameFold() {
  fold.textContent = claims.some((claim) => claim.open) ? "Fold claims" : "Unfold claims";
}

form.addEventListener("change", apply);
form.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("all").addEventListener("click", () => {
  for (const box of form.querySelectorAll("input")) box.checked = true;
  apply();
});
fold.addEventListener("click", () => {
  const open = claims.some((claim) => claim.open);
  for (const claim of claims) claim.open = !open;
  nameFold();
});
for (const claim of claims) claim.addEventListener("toggle", nameFold);
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
form.hidden = rows.length === 0;
apply();
