"""The judging rules once more, for judges that a provider serves: they wait for the network and compute little.

Such a job runs where the network is, beside Snakemake, and is never submitted to a node. It makes its own attempts, and
gives up when its provider is dead, so Snakemake adds none.
"""


use rule judge_paper as judge_paper_by_provider with:
    wildcard_constraints:
        judge=one_of(PROVIDERS),
    retries: 0
    localrule: True
    resources:
        api_calls=1,


# Prints what the next rule will cost, so it runs where the user reads it.
use rule estimate_trust as estimate_trust_by_provider with:
    wildcard_constraints:
        judge=one_of(PROVIDERS),
    localrule: True


use rule measure_trust as measure_trust_by_provider with:
    wildcard_constraints:
        judge=one_of(PROVIDERS),
    retries: 0
    localrule: True
    resources:
        api_calls=1,


use rule remove_evidence as remove_evidence_by_provider with:
    wildcard_constraints:
        judge=one_of(PROVIDERS),
    retries: 0
    localrule: True
    resources:
        api_calls=1,
