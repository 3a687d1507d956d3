"""The numbers that the documents quote are those of the committed tables.

The tables are of two kinds: measurements that no rule renews (docs/measured), and the error rates
of the verdict on a benchmark (config/calibration).
"""

import re
from pathlib import Path

import pandas as pd
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MEASURED = REPOSITORY / "docs/measured"
CALIBRATION = REPOSITORY / "config/calibration"

# The texts that are planted, as the column `text` of the tables names them.
NAMES = "questions about invented names"
DOCSTRINGS = "docstrings of installed packages"
NEW_DOCSTRINGS = "docstrings of packages first released in 2025 or later"


def read_unwrapped(document: str) -> str:
    """A document of docs/ with a single space for each line break, so that a test finds a sentence
    wherever its lines break.
    """
    text = (REPOSITORY / "docs" / document).read_text()
    return " ".join(text.split())


def with_interval(row: pd.Series, column: str, form: str) -> str:
    """`column` and its interval in the format `form`, such as `0.03 (-0.01 to 0.08)` for `.2f`."""
    low = row[f"{column}_low"]
    high = row[f"{column}_high"]
    return f"{row[column]:{form}} ({low:{form}} to {high:{form}})"


# Measured tables in general


# The headlines and grounding_seeds have a machine and a full commit; the others have none of these
# columns.
WITHOUT_DATE_AND_COMMAND = {
    "claims_planted",
    "claims_reading_aid",
    "grounding_seeds",
    "headlines",
    "headlines_earlier",
    "published_order",
}


def test_a_measured_table_has_its_date_device_commit_and_command() -> None:
    names = {path.stem for path in MEASURED.glob("*.csv")}
    for name in names - WITHOUT_DATE_AND_COMMAND:
        table = pd.read_csv(MEASURED / f"{name}.csv", dtype=str)
        assert not table[["date", "device", "commit", "command"]].isna().any(axis=None), name
        # The lexical rules' row of claims_prose_judges names two commits.
        assert (table["commit"].str.len() <= 8).all() or name == "claims_prose_judges", name


# RADAR


def test_the_numbers_on_pretrained_twins_are_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "memorisation_smollm2.csv")
    both_kinds = table[table["kind"] == "both"].set_index(["detector", "dose"])
    page = read_unwrapped("memorisation.md")

    # Dose 0 pools all doses.
    for detector, label in (("radar", "RADAR"), ("loss", "loss"), ("min_k_plus_plus", "Min-K%++")):
        row = both_kinds.loc[(detector, 0)]
        assert f"{label} {row['auroc']:.2f} ({row['low']:.2f} to {row['high']:.2f})" in page

    radar = both_kinds.loc[("radar", 8), "auroc"]
    loss = both_kinds.loc[("loss", 8), "auroc"]
    assert f"RADAR {radar:.2f}, loss {loss:.2f}" in page


@pytest.fixture
def matched() -> pd.DataFrame:
    """RADAR and its controls on 400 pairs of the same words in another order."""
    table = pd.read_csv(MEASURED / "radar_matched_800.csv")
    return table.set_index(["slice", "protocol", "system"])


def test_the_accuracies_on_400_pairs_are_in_the_measured_table(matched: pd.DataFrame) -> None:
    radar = matched.loc[("overall", "cross_validated", "radar")]
    word_order = matched.loc[("overall", "cross_validated", "word_order")]
    page = read_unwrapped("reading-the-results.md")

    # Both numbers are means of three seeds: the table's `accuracy` of word order is such a mean,
    # but its `accuracy` of RADAR is that of a single split.
    assert (
        f"it gets {radar['seed_mean']:.0%} (the mean of three seeds;"
        f" word order {word_order['accuracy']:.0%}), and with"
    ) in page

    radar = matched.loc[("overall", "kinds_held_out", "radar")]
    word_order = matched.loc[("overall", "kinds_held_out", "word_order")]
    low, high = 100 * radar["low"], 100 * radar["high"]

    assert f"{radar['accuracy']:.0%} ({low:.0f} to {high:.0f};" in page
    assert f"word order: {word_order['accuracy']:.0%})" in page

    answered = matched.loc[("answered_pairs", "kinds_held_out", "radar")]
    assert f"both prompts of {answered['n'] // 2} pairs" in page


def test_the_accuracies_by_form_of_answer_are_in_the_measured_table(matched: pd.DataFrame) -> None:
    answer_form = matched.loc[("overall", "kinds_held_out", "answer_form")]
    page = read_unwrapped("reading-the-results.md")

    accuracy = f"{answer_form['accuracy']:.0%}"
    assert f"of the right answer's form gets {accuracy} with kinds held out" in page

    radar = matched.loc[("one_form_of_answer", "kinds_held_out", "radar")]
    word_order = matched.loc[("one_form_of_answer", "kinds_held_out", "word_order")]
    low, high = 100 * radar["low"], 100 * radar["high"]

    assert (
        f"RADAR gets {radar['accuracy']:.0%} ({low:.0f} to {high:.0f})"
        f" and word order {word_order['accuracy']:.0%}:"
    ) in page


def test_the_leads_of_radar_on_400_pairs_are_in_the_measured_table(matched: pd.DataFrame) -> None:
    points = 100 * matched[["radar_lead", "radar_lead_low", "radar_lead_high"]]
    page = read_unwrapped("reading-the-results.md")

    lead, low, high = points.loc[("overall", "kinds_held_out", "word_order")]
    assert f"a lead of {lead:.1f} points over word order ({low:.1f} to {high:.1f})" in page

    lead, low, high = points.loc[("one_form_of_answer", "kinds_held_out", "word_order")]
    assert f"the lead over word order is {lead:.1f} points ({low:.1f} to {high:.1f})" in page

    lead, low, high = points.loc[("overall", "kinds_held_out", "answer_form")]
    assert f"({lead:.1f} points, {low:.1f} to {high:.1f})" in page


def test_the_aurocs_of_the_logit_lens_on_smollm2_are_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "logit_lens_smollm2.csv")
    mean = table.groupby(["fit", "reader"])["auroc"].mean()
    page = (REPOSITORY / "docs/memorisation.md").read_text()
    for line, fit in (
        ("other items of the same twins of SmolLM2", "within"),
        ("names planted in the small models", "names"),
    ):
        likelihoods = mean[fit, "fitted_likelihoods"]
        lens = mean[fit, "logit_lens"]
        assert f"| {line} | {likelihoods:.2f} | {lens:.2f} |" in page

    # "1, 2, 4 and 8 readings, with 8 seen items in each of these cells"
    assert sorted(set(table["dose"])) == [1, 2, 4, 8]
    assert set(table["n"]) == {8}


# The verdict on a benchmark


def test_the_error_rates_on_smollm2_are_in_the_committed_calibration() -> None:
    table = pd.read_csv(CALIBRATION / "pretrained.csv")
    by_loss = table[table["detectors"] == "loss"].set_index(["text", "dose", "n_items"])["seen"]
    names = by_loss[NAMES]
    docstrings = by_loss[NEW_DOCSTRINGS]
    page = read_unwrapped("memorisation.md")

    assert (
        f"Of 11 names the verdict by the loss said *seen* in {names[4, 11]:.0%} of the draws"
        f" if they were read 4 times, and in {names[0, 11]:.0%} if they were not read"
    ) in page
    assert f"of 12 docstrings in {docstrings[4, 12]:.0%} and in {docstrings[0, 12]:.0%}" in page

    unread = table[(table["dose"] == 0) & table["n_items"].isin([11, 12])]
    assert {f"{high:.0%}" for high in unread["high"]} == {"46%"}
    assert "(the intervals of the unread ones end at 46%)" in page


def test_the_committed_error_rates_have_the_documented_draws_and_shares() -> None:
    table = pd.read_csv(CALIBRATION / "detectors.csv")
    by_loss = table[table["detectors"] == "loss"]
    names = by_loss[by_loss["text"] == NAMES]
    docstrings = by_loss[by_loss["text"] == DOCSTRINGS]
    page = read_unwrapped("memorisation.md")

    assert set(names["models"]) == {32}
    assert set(docstrings["models"]) == {22}
    assert "names of 32 twins (16 seeds), docstrings of 22 (11 seeds)" in page

    unread = docstrings[docstrings["dose"] == 0].set_index("n_items")["independent"]
    assert (
        f"Of 12 docstrings and as many in a control there are {unread[12]} draws"
        f" without a common item, of 48 there are {unread[48]},"
    ) in page

    # Lines of the table of estimated shares, for example
    # | 22 | 22 | 4 | 1 | 0.62 | 0.04 to 1 |
    # with the columns: items, items read, times, true share, mean estimate, 95% of the draws.
    assert set(names["draws"]) == {1_024}
    by_cell = names.set_index(["n_items", "n_seen", "dose"])
    for cell in ((22, 0, 0), (22, 22, 4), (44, 22, 16), (44, 4, 16)):
        row = by_cell.loc[cell]
        start = " | ".join(map(str, cell))
        assert re.search(rf"\| {start} \| [\d.]+ \| {row['share']:.2f} \|", page), cell


# The detectors among which a verdict's detector was chosen, those in the document's table:
# name in the document, name in the measured table.
LISTED_CANDIDATES = {
    "**loss** (chosen)": "loss",
    "loss, zlib and Min-K%++, ranks": "likelihood_ranks",
    "zlib": "zlib",
    "CAMIA, repetition": "camia_repetition",
    "Min-K%++": "min_k_plus_plus",
    "Min-K%++ and gradient norm, ranks": "min_k_plus_plus_with_gradient",
}


def test_the_power_of_each_listed_candidate_is_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "verdict_detectors.csv")
    by_text = table.set_index(["detector", "text"])
    page = read_unwrapped("memorisation.md")

    for label, detector in LISTED_CANDIDATES.items():
        names = by_text.loc[(detector, NAMES)]
        docstrings = by_text.loc[(detector, DOCSTRINGS)]
        cells = [
            label,
            with_interval(names, "power", ".2f"),
            with_interval(names, "false_alarms", ".2f"),
            with_interval(docstrings, "power", ".2f"),
            with_interval(docstrings, "false_alarms", ".2f"),
        ]
        # The lead is a mean over both texts: their rows have the same one.
        lead = with_interval(docstrings, "lead", ".3f")
        last_cells = f"| {lead} |" if detector != "loss" else "| |"
        assert f"| {' | '.join(cells)} {last_cells}" in page, label

    reading = read_unwrapped("reading-the-results.md")
    power = by_text["power"].unstack()
    loss = power.loc["loss"]
    ranks = power.loc["likelihood_ranks"]
    assert (
        f"The loss finds {loss[NAMES]:.0%} of those of names"
        f" and {loss[DOCSTRINGS]:.0%} of those of docstrings"
    ) in reading
    assert (
        f"loss, zlib and Min-K%++ by ranks, finds {ranks[NAMES]:.0%} and {ranks[DOCSTRINGS]:.0%}"
    ) in reading


def test_what_the_document_states_of_all_candidates_holds_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "verdict_detectors.csv")
    page = read_unwrapped("memorisation.md")

    # "The six candidates that are not in the table have a mean power of ... or less"
    is_listed = table["detector"].isin(LISTED_CANDIDATES.values())
    unlisted = table[~is_listed].drop_duplicates("detector")
    assert len(unlisted) == 6
    assert f"a mean power of {unlisted['mean_power'].max():.2f} or less" in page

    # "Each rate counts 300 draws from six twins". The number of draws that can have no item in
    # common is "6 of read items, 24 of unread names and 12 of unread docstrings".
    assert set(table["draws"]) == {300}
    assert set(table["models"]) == {6}
    assert set(table["power_independent"]) == {6}
    assert sorted(set(table["false_alarms_independent"])) == [12, 24]

    # "No detector is shown to be better than the loss": no interval of a lead over it is above 0,
    # and "three of them include 0".
    rivals = table[table["detector"] != "loss"].drop_duplicates("detector")
    assert (rivals["lead_low"] <= 0).all()
    assert (rivals["lead_high"] > 0).sum() == 3


@pytest.mark.parametrize(
    ("line", "text", "dose", "n_items"),
    [
        ("| 22 names, all read once |", NAMES, 1, 22),
        ("| 44 names, 4 read 64 times |", NAMES, 64, 44),
        ("| 24 docstrings, none read |", DOCSTRINGS, 0, 24),
        ("| 24 docstrings, all read 4 times |", DOCSTRINGS, 4, 24),
        ("| 48 docstrings, 5 read 64 times |", DOCSTRINGS, 64, 48),
    ],
)
def test_the_shares_that_other_tools_call_contaminated_are_in_the_measured_table(
    line: str, text: str, dose: int, n_items: int
) -> None:
    table = pd.read_csv(MEASURED / "verdict_rivals.csv")
    measured = table.set_index(["text", "dose", "n_items"]).loc[(text, dose, n_items)]
    tools = ["ours, loss", "ours", "contamcheck", "benchleak", "memaudit, start token"]
    shares = " | ".join(f"{measured[tool]:.0%}" for tool in tools)

    page = (REPOSITORY / "docs/memorisation.md").read_text()
    assert f"{line} {shares} |" in page


def test_the_power_of_means_in_place_of_ranks_is_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "verdict_rivals.csv")
    # "With 5 of 48 docstrings read 64 times"
    measured = table.set_index(["text", "dose", "n_items", "n_seen"]).loc[(DOCSTRINGS, 64, 48, 5)]
    loss = measured["ours, loss"]
    memaudit = measured["memaudit, start token"]

    page = read_unwrapped("memorisation.md")
    assert f"the loss finds {loss:.0%}, and memaudit {memaudit:.0%}" in page
    assert f"the same draws finds {measured['loss, by means']:.0%} if means are compared" in page


# Judges of claims


def test_the_scores_of_rules_that_read_nothing_on_real_prose_are_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "claims_prose.csv").set_index("rule")
    page = (REPOSITORY / "docs/bring-your-own.md").read_text()
    labels = {
        "one status for all": "PARTIAL throughout",
        "length": "length of the text",
        "bag of words": "bag of words",
        "each criterion's commonest status": "each criterion's commonest status",
    }
    for rule, row in table.iterrows():
        right = with_interval(row, "exact", ".0%")
        kappas = f"{row['kappa']:.2f} | {row['quadratic_kappa_within']:.2f}"
        assert f"| {labels[str(rule)]} | {right} | {kappas} |" in page


def test_the_scores_of_the_lexical_rules_on_real_prose_are_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "claims_prose_judges.csv").set_index("judge")
    row = table.loc["lexical"]
    page = read_unwrapped("bring-your-own.md")

    assert f"Of the {row['n']} items" in page
    assert f"get {with_interval(row, 'exact', '.0%')} right" in page
    assert f"commonest status {row['commonest']:.0%}" in page
    assert f"kappa within criteria is {with_interval(row, 'kappa_within', '.2f')}" in page


def test_the_scores_of_smollm2_on_real_prose_are_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "claims_prose_judges.csv").set_index("judge")
    row = table.loc["smollm2"]
    page = read_unwrapped("bring-your-own.md")

    assert (
        f"(`{row['items']}`): it gets {with_interval(row, 'exact', '.0%')} right,"
        f" each criterion's commonest status {row['commonest']:.0%};"
        f" its kappa within criteria is {with_interval(row, 'kappa_within', '.2f')}."
    ) in page


def test_the_effect_of_sentences_that_ask_for_a_lower_status_is_in_the_measured_table() -> None:
    table = pd.read_csv(MEASURED / "claims_pressure.csv").set_index("judge")
    row = table.loc["smollm2"]
    page = read_unwrapped("bring-your-own.md")

    means = f"is {row['with_them']:.2f} with them and {row['without_them']:.2f} without"
    assert f"on {row['papers']} planted papers {means}" in page

    difference = with_interval(row, "difference", ".2f")
    assert f"a difference of {difference}, which may be none" in page
    assert row["difference_low"] < 0 < row["difference_high"]
