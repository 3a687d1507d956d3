"""The command `mechaware`: one verb for each question, asked in the user's own folder.

A verb writes one config file and runs Snakemake with it (`running`), which does the work; what a
verb does not name is a key of the config, given by --configfile.
"""
