"""The rules that ask judges, once more for judges that ask a provider.

Judges of a kind in the user's own package are among them, because they may ask a provider. The
rules themselves are in claims.smk, trust.smk, judge_cards.smk and by_rubric.smk; there they ask
only the other judges.

A job that asks a provider waits for the network and computes little. Such a job runs on the machine
where Snakemake runs, which has the network, and is never submitted to a node. The job itself
repeats requests and stops when its provider is down, so Snakemake does not retry it.
`--resources api_calls=N` limits how many such jobs run at once.
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
