# The project's commands. Each first sets up .venv if it is missing or older than the lock file.

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.matches-lock
RUN := PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

JUDGE ?= lexical

.PHONY: results paper claim test test-all lint bench docs gallery lock clean

# By default Snakemake polls more often as jobs finish, a quarter of a core by the end of a run; poll every 10 s instead.
POLLING := --max-jobs-per-timespan 1000/10s

# Two processes, a file of tests in one of them, in their order: those that wait for the small run come last.
TWO := --numprocesses 2 --dist loadfile --no-loadscope-reorder

results: $(READY)  ## every table, figure and number, the paper, the report and the catalogue, from prompts and models
	$(RUN) snakemake --cores all --resources gpu=1 $(POLLING)
	$(RUN) snakemake results/ro-crate-metadata.json --cores all
	$(RUN) snakemake --report results/report.zip

paper: $(READY)  ## the paper, as PDF and as web page, with what it needs, and the report
	$(RUN) snakemake results/paper/paper.pdf results/paper/index.html --cores all --resources gpu=1
	$(RUN) snakemake results/paper/paper.pdf --report results/report.zip

claim: $(READY)  ## score one paper by one judge: make claim PAPER=my.pdf JUDGE=lexical
	@$(RUN) python -m scripts.claim --paper="$(PAPER)" --judge="$(JUDGE)"

test: $(READY)  ## the tests, among them one small real run of the workflow, but for those marked as the gate's
	$(RUN) python -m pytest $(TWO)

test-all: $(READY)  ## all tests: also all edits and families, a second small run of equal bytes, CONTRIBUTING's recipes
	$(RUN) python -m pytest $(TWO) -m ''

lint: $(READY)
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) snakefmt --check Snakefile rules
	$(RUN) mypy

bench: $(READY)  ## ours beside a peer, each benchmark in one process
	$(RUN) python -m benchmarks.capture
	$(RUN) python -m benchmarks.patching
	$(RUN) python -m benchmarks.kv_cut
	$(RUN) python -m benchmarks.detectors
	$(RUN) python -m benchmarks.claims
	$(RUN) python -m benchmarks.workflow

docs: $(READY)  ## the parts of docs/ that follow from the code: every config key, every figure and table
	$(RUN) python -m scripts.write_docs

gallery: results  ## the paper and the figures of the default run, for docs/gallery
	$(RUN) python -m scripts.write_gallery

lock:  ## resolve requirements.in anew
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet -r requirements.in
	{ echo "# Made by 'make lock' from requirements.in; do not edit."; \
	  .venv-lock/bin/pip freeze --all | grep -v '^pip==' | sed 's/+cpu//'; } > requirements.lock
	rm -rf .venv-lock

clean:  ## what the workflow made; the environment stays
	rm -rf results logs benchmarks/results .snakemake

$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: $(PYTHON) is older than 3.11; name a newer one, as in 'make results PYTHON=python3.12'"; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@
