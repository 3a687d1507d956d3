# The project's commands. Each first sets up .venv if it is missing or older than the lock files: results need
# requirements.lock and requirements-torch.lock; tests, linters and benchmarks add requirements-dev.lock.

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.matches-lock
READY_DEV := $(VENV)/.matches-dev-lock
# The site needs none of the packages of a run.
VENV_DOCS := .venv-docs
READY_DOCS := $(VENV_DOCS)/.matches-lock
INSTALL := $(VENV)/bin/pip install --quiet --disable-pip-version-check
# Compiled modules are kept even where the shell says otherwise: each of some hundred jobs would compile them again.
RUN := PYTHONDONTWRITEBYTECODE= PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

# A killed run leaves its lock, and so does one that still runs: which of them, the user alone knows.
UNLOCKED = @test -z "$$(ls .snakemake/locks 2>/dev/null)" || { echo "error: this folder is locked; if no other run is \
going on here: $(VENV)/bin/snakemake --unlock, then the same command again" >&2; exit 1; }

# YAML's quotes within the shell's: an apostrophe in a value is doubled for YAML, and each of the two quoted for the shell.
QUOTED = '\''$(subst ','\'''\'',$(1))'\''
# Without JUDGE nobody judges the paper, and the page is a reading aid.
OWN_PAPER = 'claims={own_paper: $(call QUOTED,$(PAPER)), own_judges: [$(if $(JUDGE),$(call QUOTED,$(JUDGE)))]}'
NO_BUNDLE = echo "error: no BUNDLE; write make unbundle BUNDLE=bundle.tar.gz" >&2; exit 1;
NO_PAPER = echo "error: no PAPER; write make claim PAPER=my.pdf (make demo scores a paper of the project's)" >&2; exit 1;

# The demo's longest two chains of jobs go first, side by side, one thread each: on two cores faster than one after the
# other.
DEMO_ORDER := --set-threads patch_task=1 measure_suspected=1 \
	--prioritize results/grounding/pairs/json-values/verdict.json results/radar/memorisation/s11/A

# RADAR on 400 pairs of the same words, as docs/measured has it.
MATCHED := results/radar/smollm2-135m-instruct/same_words/radar_matched_800.csv

# What a verdict on a benchmark should rest on, as docs/measured has it.
CANDIDATES := results/radar/memorisation/verdict_detectors.csv

# Error rates on pretrained models, as config/calibration has them.
PRETRAINED := results/radar/memorisation/pretrained_rates.csv

.PHONY: demo plan results paper reported pretrained matched verdict-detector claim bundle unbundle test test-all lint bench docs site gallery wheel lock audit clean

# By default Snakemake polls more often as jobs finish, a quarter of a core by the end of a run; poll every 10 s instead.
POLLING := --max-jobs-per-timespan 1000/10s

# Blocks that are freed are kept for the next: small models are trained and dropped by the hundred.
KEEP := MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=4294967296

# Two processes, a file of tests in one of them, in their order: those that wait for the small run come last.
TWO := --numprocesses 2 --dist loadfile --no-loadscope-reorder

demo: $(READY)  ## three questions answered in four minutes, and a page that explains the answers
	$(UNLOCKED)
	@$(RUN) snakemake results/demo/index.html --configfile config/demo.yaml --cores all $(DEMO_ORDER) --quiet rules host reason
	@cat results/radar/suspected/demo-*/summary.txt results/grounding/pairs/json-values/summary.txt results/claims/reading/planted-01/summary.txt
	@echo "open results/demo/index.html, which explains these answers"

plan: $(READY)  ## what `make results` would run: the number of jobs by rule
	@$(RUN) snakemake -n --quiet rules host reason --cores all --resources gpu=1

results: $(READY)  ## every table, figure and number, the paper, the report and the catalogue, from prompts and models
	$(UNLOCKED)
	$(RUN) snakemake --cores all --resources gpu=1 $(POLLING)
	$(RUN) snakemake results/ro-crate-metadata.json --cores all
	$(RUN) snakemake --report results/report.zip
	@echo "open results/README.md, which names what to look at first"

paper: $(READY)  ## the paper, as PDF and as web page, with the results, the report and the catalogue
	$(UNLOCKED)
	$(RUN) snakemake results/ro-crate-metadata.json --cores all --resources gpu=1
	$(RUN) snakemake results/paper/paper.pdf --report results/report.zip

# On a clean checkout: a record of changes that no commit holds is refused. A run that was cut off goes on.
reported: $(READY)  ## the run with the seeds that the headlines need; its headlines go to docs/measured, its error rates to config/calibration
	$(UNLOCKED)
	$(RUN) snakemake reported --configfile config/reported.yaml --cores all --resources gpu=1 $(POLLING)
	cp results/reported/headlines.csv docs/measured/
	cp results/reported/detectors.csv results/reported/rules.csv results/reported/judges.csv config/calibration/
	@echo "if seeds or tests are others: git show HEAD:docs/measured/headlines.csv > docs/measured/headlines_earlier.csv"
	@echo "commit docs/measured and config/calibration; then make docs writes the README's findings"

# For two cores: PLANT=config/smollm2-planted-cpu.yaml.
PLANT ?= config/smollm2-planted.yaml

# On a clean checkout, as above.
pretrained: $(READY)  ## names and new docstrings planted in SmolLM2, on a GPU; its error rates go to config/calibration
	$(UNLOCKED)
	$(RUN) snakemake memorisation_pretrained --configfile $(PLANT) --cores all --resources gpu=1
	cp $(PRETRAINED) config/calibration/pretrained.csv

# On a clean checkout, as above.
matched: $(READY)  ## RADAR on 400 pairs of the same words in another order; its table goes to docs/measured
	$(UNLOCKED)
	$(RUN) snakemake $(MATCHED) --configfile config/matched-800.yaml --cores all --resources gpu=1
	cp $(MATCHED) docs/measured/

# On a clean checkout, as above.
verdict-detector: $(READY)  ## on which detector a verdict should rest, by three further seeds; its table goes to docs/measured
	$(UNLOCKED)
	$(RUN) snakemake $(CANDIDATES) --cores all --resources gpu=1
	cp $(CANDIDATES) docs/measured/

claim: $(READY)  ## passages of one paper to judge it by: make claim PAPER=my.pdf; a judge's score: with JUDGE=ollama/llama3.2
	@$(if $(PAPER),,$(NO_PAPER)) $(RUN) snakemake claim --cores all --quiet host reason --config $(OWN_PAPER)

bundle: $(READY)  ## the finished run as one archive, results/bundle.tar.gz: results, trained models, records
	$(UNLOCKED)
	$(RUN) snakemake results/bundle.tar.gz --cores all --resources gpu=1 $(POLLING)

unbundle: $(READY)  ## a finished run in a fresh clone: make unbundle BUNDLE=bundle.tar.gz; then what is left to run
	@$(if $(BUNDLE),,$(NO_BUNDLE)) $(RUN) python -m scripts.open_bundle --bundle="$(BUNDLE)"
	@test -e results/bundle.yaml || $(RUN) snakemake -n --quiet rules host reason --cores all --resources gpu=1

test: $(READY_DEV)  ## the tests, among them one small real run of the workflow, but for those marked as the gate's
	$(RUN) $(KEEP) python -m pytest $(TWO)

test-all: $(READY_DEV)  ## all tests: also all edits and families, a run killed six times, faults of the disk, CONTRIBUTING's recipes
	$(RUN) $(KEEP) python -m pytest $(TWO) -m ''

lint: $(READY_DEV)
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) snakefmt --check Snakefile workflow rules
	$(RUN) mypy

bench: $(READY_DEV)  ## ours beside a peer, each benchmark in one process
	$(RUN) python -m benchmarks.capture
	$(RUN) python -m benchmarks.patching
	$(RUN) python -m benchmarks.kv_cut
	$(RUN) python -m benchmarks.detectors
	$(RUN) python -m benchmarks.claims
	$(RUN) python -m benchmarks.reading
	$(RUN) python -m benchmarks.workflow

docs: $(READY)  ## the parts of docs/ that follow from the code (every config key, figure and table), and the README's findings
	$(RUN) python -m scripts.write_docs

# What the site shows, and what its pages link to.
SITE := README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CITATION.cff docs examples paper/claims.yaml profiles/default

# Strict: a link that leads nowhere ends it.
site: $(READY_DOCS)  ## the documents as a web site with search and the library's reference, in build/site
	rm -rf build/site-source build/site
	mkdir -p build/site-source
	tar -cf - $(SITE) | tar -xf - -C build/site-source
	NO_MKDOCS_2_WARNING=1 $(VENV_DOCS)/bin/mkdocs build --strict --quiet
	@echo "open build/site/index.html"

# The run that the gallery shows: after `make reported`, CONFIG=config/reported.yaml.
CONFIG ?= config/config.yaml

gallery: $(READY)  ## the paper and the figures of the default run, for docs/gallery; of another one: with CONFIG=config/reported.yaml
	$(UNLOCKED)
	$(RUN) snakemake --configfile $(CONFIG) --cores all --resources gpu=1 $(POLLING)
	$(RUN) python -m scripts.write_gallery --config=$(CONFIG)

# Without build/, in which files that are gone would be found again.
wheel: $(READY)  ## the library and the workflow as one file, dist/mechaware-*.whl
	rm -rf build dist
	$(RUN) python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

# For Linux, macOS and Windows and every Python from 3.11 on, with the hashes of all their files; torch has a file of its own.
COMPILE = .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--no-emit-package torch --custom-compile-command "make lock"

lock:  ## resolve requirements.in, requirements-dev.in and requirements-docs.in anew, with one version of each package
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet uv
	$(COMPILE) --upgrade requirements.in requirements-dev.in --output-file .venv-lock/all.txt
	$(COMPILE) --upgrade --constraint .venv-lock/all.txt requirements.in --output-file requirements.lock
	$(COMPILE) --upgrade --constraint .venv-lock/all.txt requirements-dev.in --output-file requirements-dev.lock
	$(COMPILE) --upgrade --constraint .venv-lock/all.txt requirements-docs.in --output-file requirements-docs.lock
	rm -rf .venv-lock

# Strict: a package that the list does not know is a failure, too.
audit:  ## published vulnerabilities of the locked packages, but for those in audit-allowed.txt
	rm -rf .venv-audit && $(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install --quiet pip-audit
	.venv-audit/bin/pip-audit --strict --no-deps --disable-pip --progress-spinner off \
	  -r requirements.lock -r requirements-dev.lock -r requirements-torch.lock -r requirements-docs.lock \
	  $$(sed -n 's/^\([^# ][^ ]*\) .*/--ignore-vuln \1/p' audit-allowed.txt)
	rm -rf .venv-audit

clean:  ## what the workflow made; the environment stays
	rm -rf results logs benchmarks/results .snakemake

$(READY): requirements.lock requirements-torch.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "error: $(PYTHON) is not Python 3.11, 3.12 or 3.13; name one, as in 'make results PYTHON=python3.12'"; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes --no-deps -r requirements.lock
	$(INSTALL) -r requirements-torch.lock
	@touch $@

$(READY_DEV): $(READY) requirements-dev.lock
	$(INSTALL) --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

$(READY_DOCS): requirements-docs.lock
	rm -rf $(VENV_DOCS)
	$(PYTHON) -m venv $(VENV_DOCS)
	$(VENV_DOCS)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-docs.lock
	@touch $@
