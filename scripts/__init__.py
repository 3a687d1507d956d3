"""The commands of the workflow: one short module per rule."""
