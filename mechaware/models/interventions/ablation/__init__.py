"""Every head and every MLP of a model as a component: ablated, attributed, and read from the final residual stream."""
