"""Interventions in place of RADAR's proxies: what its "causal" features are named after, measured."""
