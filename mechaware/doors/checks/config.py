"""Checks a config, and the files that it names, before anything runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.own_folder import read_from_own_folder
from mechaware.core.schema import check, read_numbers
from mechaware.doors.checks.claims import check_claims
from mechaware.doors.checks.entries import Entries, read_entries
from mechaware.doors.checks.files import shown_path
from mechaware.doors.checks.grounding import check_grounding
from mechaware.doors.checks.judge_cards import read_addressed_judges
from mechaware.doors.checks.judges import read_own_judges
from mechaware.doors.checks.models import check_weights, used_models
from mechaware.doors.checks.names import check_distinct_folders, check_distinct_labels
from mechaware.doors.checks.radar import check_radar
from mechaware.instruments.claims.fetching.papers import Paper, own_paper, read_papers


class Catalog(NamedTuple):
    """A config that has passed all checks, and the models, judges and papers that it may name.

    - `config`: the config, with texts parsed as numbers (`read_numbers`) and with paths from the
      working directory (`read_from_own_folder`).
    - `models`: by name, the entries of config/models.yaml and of the config.
    - `judges`: by name, the entries of config/judges.yaml and of the config, and the judges that
      `claims/own_judges` or a judge card gives by a model's address.
    - `papers`: by id, the papers of config/papers.csv, and `own_paper` if there is one.
    - `own_paper`: the paper that `claims/own_paper` names, or None.
    - `own_judges`: the judges of `own_paper`, as names in `judges`.
    """

    config: Mapping[str, Any]
    models: Entries
    judges: Entries
    papers: Mapping[str, Paper]
    own_paper: Paper | None
    own_judges: Sequence[str]


def check_config(config: Mapping[str, Any], schema: Mapping[str, Any], repository: Path) -> Catalog:
    """Refuse a config that cannot be used; return it with everything that it may name.

    Args:
        config: The config as Snakemake gives it.
        schema: The config's JSON Schema, with the settings of figures
            (`report.results.config_schema`).
        repository: The folder that holds config/.

    Raises:
        UserError: The first fault of the config, of a list in config/, or of a file that the config
            names.
    """
    config = read_numbers(config, schema, schema["$defs"])
    check(config, schema, "config")
    config = read_from_own_folder(config)
    claims = config["claims"]

    models = read_entries("models", config, schema, repository)
    judges = read_entries("judges", config, schema, repository)
    own_judges = read_own_judges(claims["own_judges"], judges)
    judges = judges._replace(entries={**judges.entries, **own_judges})
    papers = read_papers(shown_path("config/papers.csv", repository))

    check_distinct_folders(config["radar"]["suspected"], "config, radar/suspected")
    check_distinct_folders(models.entries, models.sources)
    check_distinct_folders(judges.entries, judges.sources)
    # Results of papers and of judges share the folder results/claims.
    check_distinct_folders([*papers, *judges.entries], f"config/papers.csv and {judges.sources}")

    own = None
    if claims["own_paper"]:
        taken_names = {*papers, *judges.entries}
        own = own_paper(claims["own_paper"], taken_names)
        papers = papers | {own.id: own}
    # Only judge cards use these judges; `check_claims` checks the cards.
    addressed_judges = read_addressed_judges(claims["judge_cards"], judges)

    check_radar(config, models, repository)
    check_grounding(config, models, repository)
    check_claims(config, judges, own_judges, models, papers, repository)

    models_in_use = used_models(config)
    for name in models_in_use:
        check_weights(name, models)
    check_distinct_labels(models_in_use, models)
    check_distinct_labels(claims["judges"], judges)
    check_distinct_labels(own_judges, judges)

    return Catalog(
        config=config,
        models=models.entries,
        judges={**judges.entries, **addressed_judges},
        papers=papers,
        own_paper=own,
        own_judges=list(own_judges),
    )
