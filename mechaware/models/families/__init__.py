"""One file for each architecture of transformers: where its modules lie and how its blocks compute."""
