"""The documents that a user reads: links lead to files and headings,
and keys of the config exist.
"""

import re
from pathlib import Path

import pandas as pd
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    *REPOSITORY.glob("*.md"),
    *REPOSITORY.glob("docs/**/*.md"),
    *REPOSITORY.glob("tests/**/*.md"),
]


@pytest.mark.parametrize(
    "path", sorted(DOCUMENTS), ids=lambda path: str(path.relative_to(REPOSITORY))
)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", path.read_text()):
        name, _, heading = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def headings(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a Markdown file."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_keys_that_the_documents_name_are_in_the_reference() -> None:
    reference = (REPOSITORY / "docs/configuration.md").read_text()
    for path in [REPOSITORY / "README.md", *REPOSITORY.glob("docs/**/*.md")]:
        for key in re.findall(r"`((?:radar|grounding|claims|figures)/[\w/]+)`", path.read_text()):
            assert f"| `{key}` |" in reference, f"{path}: {key}"


def test_what_is_said_of_pretrained_twins_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/memorisation_smollm2.csv")
    both = table[table["kind"] == "both"].set_index(["detector", "dose"])
    page = " ".join((REPOSITORY / "docs/memorisation.md").read_text().split())
    for detector, label in (("radar", "RADAR"), ("loss", "loss"), ("min_k_plus_plus", "Min-K%++")):
        row = both.loc[(detector, 0)]
        assert f"{label} {row['auroc']:.2f} ({row['low']:.2f} to {row['high']:.2f})" in page
    assert (
        f"RADAR {both.loc[('radar', 8), 'auroc']:.2f}, loss {both.loc[('loss', 8), 'auroc']:.2f}"
        in page
    )


def test_what_is_said_of_the_400_pairs_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/radar_matched_800.csv").set_index(
        ["slice", "protocol", "system"]
    )
    page = " ".join((REPOSITORY / "docs/reading-the-results.md").read_text().split())
    within, held_out = (
        table.loc[("overall", name, "radar")] for name in ("cross_validated", "kinds_held_out")
    )
    order = table.loc[("overall", "kinds_held_out", "word_order"), "accuracy"]
    order_lead = table.loc[("overall", "kinds_held_out", "word_order")]
    one_form = table.loc[("one_form_of_answer", "kinds_held_out", "radar")]
    order_in_one_form = table.loc[("one_form_of_answer", "kinds_held_out", "word_order")]
    order_within = table.loc[("overall", "cross_validated", "word_order"), "accuracy"]
    # Both are means of three seeds: the accuracy of RADAR's line is that of one split.
    assert (
        f"it gets {within['seed_mean']:.0%} (the mean of three seeds; word order {order_within:.0%}), and with"
        in page
    )
    assert (
        f"{held_out['accuracy']:.0%} ({100 * held_out['low']:.0f} to {100 * held_out['high']:.0f};"
        in page
    )
    assert f"word order: {order:.0%})" in page
    accuracy, low, high = (100 * one_form[name] for name in ("accuracy", "low", "high"))
    of_word_order = 100 * order_in_one_form["accuracy"]
    assert (
        f"RADAR gets {accuracy:.0f}% ({low:.0f} to {high:.0f}) and word order {of_word_order:.0f}%:"
        in page
    )
    form = table.loc[("overall", "kinds_held_out", "answer_form")]
    form_lead, form_low, form_high = (
        100 * form[f"radar_lead{end}"] for end in ("", "_low", "_high")
    )
    assert f"of the right answer's form gets {form['accuracy']:.0%} with kinds held out" in page
    assert f"({form_lead:.1f} points, {form_low:.1f} to {form_high:.1f})" in page
    for row in (order_lead, order_in_one_form):
        lead, low, high = (100 * row[f"radar_lead{end}"] for end in ("", "_low", "_high"))
        assert f"{lead:.1f} points" in page
        assert f"({low:.1f} to {high:.1f})" in page
    assert (
        f"both prompts of {table.loc[('answered_pairs', 'kinds_held_out', 'radar'), 'n'] // 2} pairs"
        in page
    )


def test_what_is_said_of_rules_on_real_prose_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/claims_prose.csv").set_index("rule")
    page = (REPOSITORY / "docs/bring-your-own.md").read_text()
    names = {
        "one status for all": "PARTIAL throughout",
        "length": "length of the text",
        "bag of words": "bag of words",
        "each criterion's commonest status": "each criterion's commonest status",
    }
    for rule, row in table.iterrows():
        interval = f"{row['exact_low']:.0%} to {row['exact_high']:.0%}"
        kappas = f"{row['kappa']:.2f} | {row['quadratic_kappa_within']:.2f}"
        assert f"| {names[str(rule)]} | {row['exact']:.0%} ({interval}) | {kappas} |" in page


def test_what_is_said_of_our_rules_on_real_prose_is_in_the_measured_table() -> None:
    row = pd.read_csv(REPOSITORY / "docs/measured/claims_prose_judges.csv").iloc[0]
    page = " ".join((REPOSITORY / "docs/bring-your-own.md").read_text().split())
    right = f"get {row['exact']:.0%} ({row['exact_low']:.0%} to {row['exact_high']:.0%}) right"
    kappa = f"{row['kappa_within']:.2f} ({row['kappa_within_low']:.2f} to {row['kappa_within_high']:.2f})"
    assert f"Of the {row['n']} items" in page
    assert right in page
    assert f"commonest status {row['commonest']:.0%}" in page
    assert f"kappa within criteria is {kappa}" in page


def test_what_is_said_of_the_rates_on_smollm2_is_in_the_committed_calibration() -> None:
    table = pd.read_csv(REPOSITORY / "config/calibration/pretrained.csv")
    by_loss = table[table["detectors"] == "loss"].set_index(["text", "dose", "n_items"])["seen"]
    names = by_loss["questions about invented names"]
    docstrings = by_loss["docstrings of packages first released in 2025 or later"]
    page = " ".join((REPOSITORY / "docs/memorisation.md").read_text().split())
    of_names = (
        f"in {names[4, 11]:.0%} of the draws if they were read 4 times, and in {names[0, 11]:.0%}"
    )
    assert (
        f"Of 11 names the verdict by the loss said *seen* {of_names} if they were not read" in page
    )
    assert f"of 12 docstrings in {docstrings[4, 12]:.0%} and in {docstrings[0, 12]:.0%}" in page
    ends = table[(table["dose"] == 0) & table["n_items"].isin([11, 12])]["high"]
    assert {f"{end:.0%}" for end in ends} == {"46%"}


def test_what_is_said_of_the_verdicts_detector_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/verdict_detectors.csv")
    by_text = table.set_index(["detector", "text"])
    page = " ".join((REPOSITORY / "docs/memorisation.md").read_text().split())
    labels = {
        "**loss** (chosen)": "loss",
        "loss, zlib and Min-K%++, ranks": "likelihood_ranks",
        "zlib": "zlib",
        "CAMIA, repetition": "camia_repetition",
        "Min-K%++": "min_k_plus_plus",
        "Min-K%++ and gradient norm, ranks": "min_k_plus_plus_with_gradient",
    }
    for label, name in labels.items():
        cells = [label]
        for text in ("questions about invented names", "docstrings of installed packages"):
            row = by_text.loc[(name, text)]
            for rate in ("power", "false_alarms"):
                cells.append(
                    f"{row[rate]:.2f} ({row[f'{rate}_low']:.2f} to {row[f'{rate}_high']:.2f})"
                )
        lead = f"{row['lead']:.3f} ({row['lead_low']:.3f} to {row['lead_high']:.3f})"
        if name == "loss":
            lead = ""
        assert " ".join(f"| {' | '.join(cells)} | {lead} |".split()) in page, label

    reading = " ".join((REPOSITORY / "docs/reading-the-results.md").read_text().split())
    for name, sentence in (
        ("loss", "The loss finds {:.0%} of those of names and {:.0%} of those of docstrings"),
        ("likelihood_ranks", "loss, zlib and Min-K%++ by ranks, finds {:.0%} and {:.0%}"),
    ):
        assert sentence.format(*by_text.loc[name, "power"]) in reading

    others = table[~table["detector"].isin(labels.values())].drop_duplicates("detector")
    assert len(others) == 6
    assert f"a mean power of {others['mean_power'].max():.2f} or less" in page
    assert set(table["draws"]) == {300}
    assert set(table["models"]) == {6}
    assert set(table["power_independent"]) == {6}
    assert sorted(set(table["false_alarms_independent"])) == [12, 24]
    rivals = table[table["detector"] != "loss"].drop_duplicates("detector")
    assert (rivals["lead_low"] <= 0).all()
    assert (rivals["lead_high"] > 0).sum() == 3


@pytest.mark.parametrize(
    ("line", "text", "dose", "n_items"),
    [
        ("| 22 names, all read once |", "questions about invented names", 1, 22),
        ("| 44 names, 4 read 64 times |", "questions about invented names", 64, 44),
        ("| 24 docstrings, none read |", "docstrings of installed packages", 0, 24),
        ("| 24 docstrings, all read 4 times |", "docstrings of installed packages", 4, 24),
        ("| 48 docstrings, 5 read 64 times |", "docstrings of installed packages", 64, 48),
    ],
)
def test_what_is_said_of_other_tools_is_in_the_measured_table(
    line: str, text: str, dose: int, n_items: int
) -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/verdict_rivals.csv")
    is_asked = (table["text"] == text) & (table["dose"] == dose) & (table["n_items"] == n_items)
    (_, measured) = next(table[is_asked].iterrows())
    tools = ["ours, loss", "ours", "contamcheck", "benchleak", "memaudit, start token"]
    shares = " | ".join(f"{measured[tool]:.0%}" for tool in tools)

    page = (REPOSITORY / "docs/memorisation.md").read_text()
    assert f"{line} {shares} |" in page


def test_what_is_said_of_the_committed_rates_is_in_their_table() -> None:
    table = pd.read_csv(REPOSITORY / "config/calibration/detectors.csv")
    by_loss = table[table["detectors"] == "loss"]
    names = by_loss[by_loss["text"] == "questions about invented names"]
    docstrings = by_loss[by_loss["text"] == "docstrings of installed packages"]
    page = " ".join((REPOSITORY / "docs/memorisation.md").read_text().split())

    assert set(names["models"]) == {32}
    assert set(docstrings["models"]) == {22}
    assert "names of 32 twins (16 seeds), docstrings of 22 (11 seeds)" in page
    unread = docstrings[docstrings["dose"] == 0].set_index("n_items")["independent"]
    of_12 = f"Of 12 docstrings and as many in a control there are {unread[12]} draws"
    assert f"{of_12} without a common item, of 48 there are {unread[48]}," in page

    # The estimated shares, a line each: items, read, times, true share, mean estimate, 95% of the
    # draws.
    assert set(names["draws"]) == {1_024}
    by_cell = names.set_index(["n_items", "n_seen", "dose"])
    for cell in ((22, 0, 0), (22, 22, 4), (44, 22, 16), (44, 4, 16)):
        row = by_cell.loc[cell]
        start = " | ".join(map(str, cell))
        assert re.search(rf"\| {start} \| [\d.]+ \| {row['share']:.2f} \|", page), cell


def test_what_is_said_of_means_in_place_of_ranks_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/verdict_rivals.csv")
    is_docstrings = table["text"] == "docstrings of installed packages"
    is_tenth = (table["dose"] == 64) & (table["n_seen"] == 5)
    (_, measured) = next(table[is_docstrings & is_tenth].iterrows())

    page = " ".join((REPOSITORY / "docs/memorisation.md").read_text().split())
    memaudit = measured["memaudit, start token"]
    assert f"the loss finds {measured['ours, loss']:.0%}, and memaudit {memaudit:.0%}" in page
    assert f"the same draws finds {measured['loss, by means']:.0%} if means are compared" in page


def test_what_is_said_of_the_logit_lens_on_smollm2_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/logit_lens_smollm2.csv")
    mean = table.groupby(["fit", "reader"])["auroc"].mean()
    page = (REPOSITORY / "docs/memorisation.md").read_text()
    for line, fit in (
        ("other items of the same twins of SmolLM2", "within"),
        ("names planted in the small models", "names"),
    ):
        likelihoods = mean[fit, "fitted_likelihoods"]
        lens = mean[fit, "logit_lens"]
        assert f"| {line} | {likelihoods:.2f} | {lens:.2f} |" in page
    assert set(table["n"]) == {8}
    assert sorted(set(table["dose"])) == [1, 2, 4, 8]


def test_what_is_said_of_the_pressure_of_prompts_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/claims_pressure.csv").set_index("judge")
    row = table.loc["smollm2"]
    page = " ".join((REPOSITORY / "docs/bring-your-own.md").read_text().split())
    means = f"is {row['with_them']:.2f} with them and {row['without_them']:.2f} without"
    interval = f"({row['difference_low']:.2f} to {row['difference_high']:.2f})"
    assert f"on {row['papers']} planted papers {means}" in page
    assert f"a difference of {row['difference']:.2f} {interval}, which may be none" in page
    assert row["difference_low"] < 0 < row["difference_high"]


def test_what_is_said_of_smollm2_on_real_prose_is_in_the_measured_table() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/claims_prose_judges.csv").set_index("judge")
    row = table.loc["smollm2"]
    page = " ".join((REPOSITORY / "docs/bring-your-own.md").read_text().split())
    kappa = f"{row['kappa_within']:.2f} ({row['kappa_within_low']:.2f} to {row['kappa_within_high']:.2f})"
    right = f"{row['exact']:.0%} ({row['exact_low']:.0%} to {row['exact_high']:.0%}) right"
    commonest = f"each criterion's commonest status {row['commonest']:.0%}"
    assert (
        f"(`{row['items']}`): it gets {right}, {commonest}; its kappa within criteria is {kappa}."
        in page
    )


def test_a_measured_table_says_when_and_where_and_how() -> None:
    for name in (
        "grounding_variants",
        "radar_matched_800",
        "claims_prose",
        "claims_prose_judges",
        "verdict_detectors",
        "verdict_rivals",
        "logit_lens_smollm2",
    ):
        table = pd.read_csv(REPOSITORY / f"docs/measured/{name}.csv", dtype=str)
        assert not table[["date", "device", "commit", "command"]].isna().any(axis=None)
        assert (
            table["commit"].str.len() <= 8
        ).all() or name == "claims_prose_judges"  # of two tries


def test_the_tutorial_of_a_card_writes_the_detector_of_the_recipe() -> None:
    """The recipe's is run, by tests/workflow/test_recipes.py;
    the tutorial's card would train twins first.
    """
    tutorial = (REPOSITORY / "docs/tutorials/card.md").read_text()
    (module,) = re.findall(r"^```python\n.*?^```$", tutorial, re.M | re.S)
    assert module in (REPOSITORY / "CONTRIBUTING.md").read_text()
