"""Rules that say of each pair whether the model behaves as one that reads the schema: one file each, and their list."""
