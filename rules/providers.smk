"""The judging rules once more, for judges that a provider serves: they wait for the network and compute little.

Such a job runs where Snakemake does, which has the network, and is never submitted to a node. It retries by itself and stops
when its provider is dead, so Snakemake does not retry it.
"""


use rule judge_paper as judge_paper_by_provider with:
    wildcard_constraints:
        judge=any_regex(PROVIDERS),
    retries: 0
    localrule: True
    resources:
        api_calls=1,


use rule measure_trust as measure_trust_by_provider with:
    wildcard_constraints:
        judge=any_regex(PROVIDERS),
    retries: 0
    localrule: True
    resources:
        api_calls=1,


use rule judge_items as judge_items_by_provider with:
    wildcard_constraints:
        card=any_regex(cards_by(PROVIDERS)),
    retries: 0
    localrule: True
    resources:
        api_calls=1,


use rule judge_by_rubric as judge_by_rubric_by_provider with:
    wildcard_constraints:
        judge=any_regex(PROVIDERS),
    retries: 0
    localrule: True
    resources:
        api_calls=1,
