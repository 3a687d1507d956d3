"""The claims study's figures, one file each."""
