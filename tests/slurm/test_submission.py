"""What a run on a cluster would submit, without one: by the rules, and by dry runs with profiles/slurm."""

import re

import pytest

from tests.conftest import Checkout
from tests.slurm.declared_rules import declared_rules

# The network, or the user's own folder of a model.
FETCHING = {"fetch_hub_model", "fetch_paper", "fetch_sql", "fetch_wheel", "link_local_model"}
JUDGING = {"estimate_trust", "extract_claims", "measure_trust", "remove_evidence", "score_claims"}
JUDGES = ("lexical", "smollm2", "gemma-4")  # keyword rules, a model that is served here, a provider


def test_only_rules_that_wait_for_the_network_stay_on_the_login_node() -> None:
    local = {rule.name for rule in declared_rules() if rule.local}
    assert local == FETCHING | {f"{name}_by_provider" for name in JUDGING}


@pytest.fixture(scope="module")
def judging(checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A dry run by the profile in which each kind of judge does everything that a judge does."""
    more = tmp_path_factory.mktemp("judges") / "more.yaml"
    more.write_text(f"claims: {{judges: [{', '.join(JUDGES)}], trust: {{embedded_edits: 2, paid_judges: [gemma-4]}}}}")
    removals = [f"results/claims/removal/{judge}.csv" for judge in JUDGES]
    return checkout.snakemake("-n", "--workflow-profile", "profiles/slurm", "claims", *removals, more=more).stdout


def test_a_judge_that_computes_is_submitted_and_a_provider_is_not(judging: str) -> None:
    """Each kind of judge is judged by the same rules; a provider's are their local heirs."""
    jobs = re.findall(r"^ *(?:local)?rule (\w+):\n(?: {4,}.*\n)*? *wildcards: judge=([\w.-]+)", judging, re.MULTILINE)
    by_judge = {judge: {rule for rule, of in jobs if of == judge} & _all_judging() for judge in JUDGES}
    assert by_judge == {
        "lexical": JUDGING,
        "smollm2": JUDGING,
        "gemma-4": {f"{name}_by_provider" for name in JUDGING},
    }


def _all_judging() -> set[str]:
    return JUDGING | {f"{name}_by_provider" for name in JUDGING}
