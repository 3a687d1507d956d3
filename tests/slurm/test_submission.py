"""What a run on a cluster would submit, by the rules and by dry runs with profiles/slurm."""

import re
from pathlib import Path

import pytest

from tests.checkout import REPOSITORY, Checkout
from tests.slurm.declared_rules import local_rules
from tests.slurm.plans import Plan, plan_from_nothing, read_plan

BY_PROFILE = ("-n", "--workflow-profile", "profiles/slurm")
LOCAL = local_rules()
# These read from the network, or from the folder of a user's own model.
FETCHING = {
    "fetch_hub_model",
    "fetch_new_docstrings",
    "fetch_paper",
    "fetch_sql",
    "fetch_wheel",
    "link_local_model",
}
# This rule packs Snakemake's records of all other jobs, which only Snakemake's own machine has
# complete.
PACKING = {"write_bundle"}
# Rules of the claims study in which a judge judges papers.
JUDGING = {"judge_paper", "measure_trust"}
# Rules of no study: for a judge's card, and for a paper judged by the user's own rubric.
ASKED_FOR = {"judge_items", "judge_by_rubric"}
# docs/scale.md has the reason.
MORE_THAN_4_GIB = {"train_twins", "train_new_text_twins"}
# Keyword rules, a model that is served here, and a provider.
JUDGES = ("lexical", "smollm2", "glm-5.1")


def test_the_local_rules_are_those_that_fetch_ask_providers_or_pack_the_bundle() -> None:
    asking_providers = {f"{name}_by_provider" for name in JUDGING | ASKED_FOR}
    assert asking_providers | FETCHING | PACKING == LOCAL


@pytest.fixture(scope="module")
def plan(checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """A run of everything, on a GPU where possible; each kind of judge has all jobs of a judge."""
    more = tmp_path_factory.mktemp("judges") / "more.yaml"
    trust = "{embedded_edits: 2, paid_judges: [glm-5.1]}"
    more.write_text(
        f"claims: {{judges: [{', '.join(JUDGES)}], trust: {trust}}}\ngrounding: {{device: gpu}}\n"
    )
    return read_plan(checkout.snakemake(*BY_PROFILE, "all", more=more).stdout)


def test_a_judge_that_computes_is_submitted_and_a_provider_is_not(plan: Plan) -> None:
    """Each judging rule has a local variant for providers, `NAME_by_provider`."""
    local_variants = {f"{name}_by_provider" for name in JUDGING}

    rules: dict[str, set[str]] = {judge: set() for judge in JUDGES}
    for job in plan.jobs:
        words = re.split(r"[ ,\n]+", job.lines)
        for judge in JUDGES:
            if f"judge={judge}" in words and job.rule in JUDGING | local_variants:
                rules[judge].add(job.rule)

    assert rules == {"lexical": JUDGING, "smollm2": JUDGING, "glm-5.1": local_variants}


def test_no_group_holds_a_job_that_is_local_or_takes_a_gpu(plan: Plan) -> None:
    """One local job would make its whole group local.

    One GPU job would hold its GPU as long as its whole group runs.
    """
    assert "train_model" in plan.gpu_rules
    assert not (LOCAL | plan.gpu_rules) & {job.rule for job in plan.jobs if job.group}


def test_a_figure_or_table_is_in_the_group_of_its_study(plan: Plan) -> None:
    groups = {job.rule: job.group for job in plan.jobs}
    assert groups["radar_scores"] == groups["radar_performance"] == "radar_results"
    assert groups["grounding_verdict"] == groups["draw_grounding_verdict"] == "grounding_results"
    assert groups["claims_tiers"] == "claims_results"


def test_a_job_is_tried_again_with_twice_the_memory(checkout: Checkout) -> None:
    """The rules that name their memory, and the rules that have the profile's 1,500 MB.

    fetch_wheel and claims_criteria have the profile's 1,500 MB; the other two name 4,000 MB.
    """
    targets = (
        "results/activations/smollm2-135m-instruct/radar_train",
        "results/tables/claims_criteria.csv",
    )
    second_attempt = read_plan(checkout.snakemake(*BY_PROFILE, *targets, "--attempt", "2").stdout)

    memory = {}
    for job in second_attempt.jobs:
        if job.asks_for("mem_mb"):
            memory[job.rule] = job.asks_for("mem_mb")
    assert memory == {
        "fetch_wheel": 3000,
        "convert_gguf": 8000,
        "capture_activations": 8000,
        "claims_criteria": 3000,
    }


def test_the_config_decides_which_rules_of_grounding_ask_for_a_gpu(plan: Plan) -> None:
    """On a CPU, as in config/test.yaml, no rule asks for a GPU."""
    on_cpu = plan_from_nothing("--configfile", "config/test.yaml", "--", "grounding")
    assert on_cpu.gpu_rules == set()
    rules = {job.rule for job in on_cpu.jobs}
    assert plan.gpu_rules & rules == {
        "attribute_trained",
        "decode_sql",
        "measure_controls",
        "measure_matched",
        "measure_pairs",
        "train_model",
    }


@pytest.mark.gate
def test_only_the_named_rules_ask_for_more_than_4_gib(tmp_path: Path) -> None:
    """At the papers' scale, with targets that `all` leaves out.

    One of them is a suspected benchmark with a reference model.
    """
    items = tmp_path / "items.csv"
    items.write_text("id,question,answer\na,Who wrote it?,Nobody did.\n")
    more = tmp_path / "more.yaml"
    entry = f"items: {items}, model: gpt2, reference: dialogpt-medium, scores_only: true"
    more.write_text(f"radar: {{suspected: {{mine: {{{entry}}}}}}}")
    targets = ("all", "memorisation_pretrained", "suspected")

    everything = plan_from_nothing("--configfile", "config/paper.yaml", str(more), "--", *targets)

    jobs = [job for job in everything.jobs if job.rule not in targets]
    assert all(job.asks_for("mem_mb") for job in jobs)
    assert {job.rule for job in jobs if job.asks_for("mem_mb") > 4096} == MORE_THAN_4_GIB

    page = (REPOSITORY / "docs/scale.md").read_text()
    from_section = page.partition("\n### What jobs ask for\n")[2]
    section = from_section.partition("\n## ")[0]
    assert set(re.findall(r"^- `(\w+)`", section, re.MULTILINE)) == MORE_THAN_4_GIB


@pytest.fixture(scope="module")
def papers_plan() -> Plan:
    """A run at the papers' scale that has no results yet."""
    return plan_from_nothing(*BY_PROFILE, "--configfile", "config/paper.yaml")


@pytest.mark.gate
def test_groups_cut_the_submissions_of_a_run_at_the_papers_scale_by_a_third(
    papers_plan: Plan,
) -> None:
    submitted = [job for job in papers_plan.jobs if job.rule not in LOCAL | {"all"}]
    assert len(submitted) > 250
    assert papers_plan.submissions < min(180, len(submitted) * 2 / 3)


@pytest.mark.gate
def test_the_page_on_clusters_has_the_time_of_the_longest_group(papers_plan: Plan) -> None:
    """A group asks for the time of all its jobs, since they run one after the other."""
    longest = max(sum(job.asks_for("runtime") for job in group) for group in papers_plan.groups)
    page = " ".join((REPOSITORY / "docs/cluster.md").read_text().split())
    assert f"the longest group asks for {longest / 60:g} hours" in page


@pytest.mark.gate
def test_the_page_on_clusters_has_the_numbers_of_local_jobs_and_of_submissions(
    papers_plan: Plan,
) -> None:
    local = [job for job in papers_plan.jobs if job.rule in LOCAL]
    by_provider = [job for job in local if job.rule.endswith("_by_provider")]
    assert len(by_provider) > len(local) / 2
    sentence = (
        f"Snakemake counts {len(papers_plan.jobs)} jobs: {len(local)} are local, "
        "most of them for the judges of providers, "
        f"and the others make {papers_plan.submissions} submissions."
    )
    page = " ".join((REPOSITORY / "docs/cluster.md").read_text().split())
    assert sentence in page
