"""Interventions on a model's run: residual patching, the cut of keys and values, maps and ablation."""
