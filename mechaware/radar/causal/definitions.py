"""What each of RADAR's eight causal proxies is, and the measured quantity that it is a proxy of.

H is attention entropy: by the printed formulas every proxy is a function of it. m = logit(answer) - logit(foil) at the
last token of the prompt. The n components are all heads and MLPs. The exact effect of a component is m less m with the
component mean-ablated: its output replaced, at all positions, by its mean over all positions of a reference set of
prompts. P_l = (m - m_l) / (m - m'), where m' is the margin of the counterfactual prompt, and m_l that of the prompt
when the residual stream at its last token, after block l (before block 1 for l = 0), is the counterfactual prompt's at
its last token. P_L = 1 by construction. RADAR defines the proxies only (D.2.3, D.2.5): the real quantities are our
definitions.

| column | proxy | real |
|---|---|---|
| direct_logit_attribution | mean H of a layer / 10, mean over layers | mean over components of direct logit attribution: the component's output at the last token, through the final norm at its clean scale, onto W_U[answer] - W_U[foil]; the same as (m - share of embeddings and biases) / n |
| indirect_effect_strength | standard deviation of the same over layers | population standard deviation of the exact effects over components |
| causal_mediation_score | product of the two above | the largest step P_l - P_(l-1) over l = 1..L: the share of the difference to the counterfactual prompt that a single block brings to the last token; with P_0 = 0, 1 / L if every block brings as much, above 1 if other blocks take some away |
| activation_patching_effect | direct_logit_attribution | mean of P_l over l = 1..L-1: the earlier the last token holds the answer, the higher; block L is left out |
| ablation_robustness | 1 - H / 5 | components are ablated one after the other, least absolute exact effect first: the share of them ablated before m <= 0; 1 if it stays above |
| critical_component_count | heads with H below a threshold, at least 1 | components are ablated one after the other, greatest absolute exact effect first: the number of them at which m <= 0 first holds; n + 1 if it never does |
| performance_degradation_slope | indirect_effect_strength | least-squares slope of m(ablated) / m on the share of components ablated, greatest absolute exact effect first, for 0, 1, ..., n of them |
| intervention_sensitivity | H / 5 | mean absolute exact effect / abs(m) |

The two scores of P_l are missing (NaN) where abs(m - m') is below `SMALLEST_GAP`; activation_patching_effect also in a
model of one block. The three of ablations in order are missing where the model answers wrongly (m <= 0): there is no
right answer to lose. intervention_sensitivity is missing at m = 0.
"""  # noqa: E501 - a table's row is one line

SMALLEST_GAP = 0.1  # in logits: a smaller difference to the counterfactual prompt would be divided by

PROXIES: dict[str, str] = {
    proxy: f"real_{proxy}"
    for proxy in (
        "direct_logit_attribution",
        "indirect_effect_strength",
        "causal_mediation_score",
        "activation_patching_effect",
        "ablation_robustness",
        "critical_component_count",
        "performance_degradation_slope",
        "intervention_sensitivity",
    )
}
"""The column of the measured quantity beside that of its proxy."""
