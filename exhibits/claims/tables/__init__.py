"""The claims study's tables, one file each."""
