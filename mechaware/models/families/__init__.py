"""Where the modules of an architecture of transformers lie and how its blocks compute: by file, or by structure."""
