"""Refuses a config that cannot be used, or that names a list, table or prompt set that cannot, before anything runs.

Every fault is a `UserError` of one line: the file and key, what is wrong, what to do.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.passages import read_passages
from mechaware.core.files import name_key
from mechaware.core.levels import significance_at
from mechaware.core.own_folder import own_folder, read_from_own_folder
from mechaware.core.own_package import check_object
from mechaware.core.schema import check, check_choice, read_numbers, read_yaml
from mechaware.instruments.claims.fetching.papers import RESERVED, Paper, own_paper, read_papers
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import read_replies
from mechaware.instruments.claims.judges.addresses import EXAMPLES, FORM, read_address
from mechaware.instruments.claims.judges.kinds import KINDS, kind_named
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.radar.benchmark import (
    check_prefix,
    corpus_texts,
    read_benchmark,
    read_prefix,
)
from mechaware.instruments.radar.order.meaning import check_order
from mechaware.instruments.radar.prompts import check_disjoint, check_folds, read_prompts
from mechaware.instruments.radar.verdicts.control import check_control
from mechaware.models.adapters import check_adapter
from mechaware.models.sources import check_model_folder
from mechaware.planted.sql.generation import read_vocabulary
from mechaware.verdicts.cards.names import BLIND_JUDGE

# Names that no model may have: results/radar has folders of these names for something else.
_NO_MODELS = {
    "suspected": "names the results of suspected benchmarks",
    "memorisation": "names the results of planted memorisation",
}
# Names that no judge may have: the results have files or folders of these names for something else.
_NO_JUDGES = dict.fromkeys(RESERVED, "names a folder of results/claims") | {
    "controls": "is taken by the trust study",
    BLIND_JUDGE: "is the card of the blind judge",
}
Entries = Mapping[str, Mapping[str, Any]]


class _Listed(NamedTuple):
    """The models or the judges: the entries of config/{kind}.yaml, and those of the config's key `kind`.

    - `kind`: models or judges.
    - `entries`: all of them, by name. `own`: those of the config.
    - `file`: config/{kind}.yaml, as messages name it.
    """

    kind: str
    entries: Entries
    own: Entries
    file: Path

    @property
    def sources(self) -> str:
        """The file, and the config if it has entries, as messages name where an entry may be."""
        return f"{self.file} or under {self.kind} of the config" if self.own else str(self.file)

    def source(self, name: str) -> str:
        """The file or the config, and the name, as messages name where an entry is."""
        return f"config, {self.kind}/{name}" if name in self.own else f"{self.file}, {name}"

    def check(self, name: str, where: str) -> None:
        """Refuse a name without an entry; `where` is the place that has the name."""
        try:
            check_choice(name, self.entries, where, self.sources)
        except UserError as error:
            unread = own_folder() / f"config/{self.kind}.yaml"
            if not unread.exists() or unread.samefile(self.file):
                raise
            # A user who has a file of that name expects it to be read.
            raise UserError(
                f"{error}; config/{self.kind}.yaml of your folder is not read: put its entries under {self.kind} of "
                "your config"
            ) from None


class _Catalog(NamedTuple):
    """A config with its numbers read, and the entries that it names.

    They are those of config/models.yaml, config/judges.yaml, config/papers.csv and of the config itself, by name.
    `papers` includes `own_paper`, if the config names one, and `judges` those of `own_judges` that are given by the
    address of their model. `own_judges` are the names under which `judges` has them.
    """

    config: Mapping[str, Any]
    models: Entries
    judges: Entries
    papers: Mapping[str, Paper]
    own_paper: Paper | None
    own_judges: Sequence[str]


def checked_lists(
    config: Mapping[str, Any], schema: Mapping[str, Any], repository: Path
) -> _Catalog:
    """The config with its numbers read, and the entries that it names, once all of it has passed.

    Args:
        config: As Snakemake gives it.
        schema: The config's JSON Schema, with the settings of figures (`report.results.config_schema`).
        repository: The folder of config/.

    Raises:
        UserError: The first fault of the config, of a list in config/, or of a file that the config names.
    """
    config = read_numbers(config, schema, schema["$defs"])
    check(config, schema, "config")
    config = read_from_own_folder(config)

    models = _read_list("models", config, schema, repository)
    judges = _read_list("judges", config, schema, repository)
    own_judges = _own_judges(config["claims"]["own_judges"], judges)
    judges = judges._replace(entries={**judges.entries, **own_judges})
    papers = read_papers(_shown_path("config/papers.csv", repository))

    _check_folders(config["radar"]["suspected"], "config, radar/suspected")
    _check_folders(models.entries, models.sources)
    _check_folders(judges.entries, judges.sources)
    _check_folders([*papers, *judges.entries], f"config/papers.csv and {judges.sources}")

    own = None
    location = config["claims"]["own_paper"]
    if location:
        own = own_paper(location, {*papers, *judges.entries})
        papers = papers | {own.id: own}

    addressed = _addressed_judges(config["claims"]["judge_cards"], judges)
    catalog = _Catalog(
        config=config,
        models=models.entries,
        judges={**judges.entries, **addressed},
        papers=papers,
        own_paper=own,
        own_judges=list(own_judges),
    )

    _check_radar(config["radar"], models, repository)
    for name in config["radar"]["suspected"]:
        _check_suspected(name, config, models)
    _check_grounding(
        config["grounding"], models, _shown_path("config/sql/vocabulary.yaml", repository)
    )
    _check_claims(config["claims"], catalog, judges, models, repository)

    used = _used_models(config)
    for name in used:
        _check_local_folder(name, models)
        _check_adapter(name, models)
    _check_labels(used, models)
    _check_labels(config["claims"]["judges"], judges)
    _check_labels(own_judges, judges)
    return catalog


def _read_list(
    kind: str, config: Mapping[str, Any], schema: Mapping[str, Any], repository: Path
) -> _Listed:
    """The entries of config/{kind}.yaml and of the config. Refuses a name that both have."""
    file = _shown_path(f"config/{kind}.yaml", repository)
    entries = read_yaml(file, str(file))
    check(entries, {"$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"}, str(file))
    listed = {str(name): entry for name, entry in entries.items()}

    own = config[kind]
    for name in own:
        if name in listed:
            raise UserError(
                f"config, {kind}/{name}: {file} has an entry of this name; rename yours"
            )
    return _Listed(kind, listed | own, own, file)


def _own_judges(words: Sequence[str], judges: _Listed) -> Entries:
    """The judges of `own_paper` by name. Each word is the name of a listed judge, or an address (`read_address`).

    Refuses rules: they are a floor to compare judges with, and no judge of a paper.
    """
    where = "config, claims/own_judges"
    listed = judges.entries
    own: dict[str, Mapping[str, Any]] = {}
    for word in words:
        addressed = read_address(word)
        if addressed is None:
            sources = f"{judges.sources}, and is no address of a model such as {EXAMPLES}"
            check_choice(word, listed, where, sources)
            if kind_named(listed[word]["kind"]).by_rules:
                raise UserError(
                    f"{where}: '{word}' is keyword rules, which judge no paper; leave it out for passages to read, or "
                    f"name a judge, such as {EXAMPLES}"
                )
            own[word] = listed[word]
            continue

        name = addressed.name
        if name in listed:
            raise UserError(
                f"{where}: '{word}' would be named '{name}', which is a judge in {judges.sources}; write that name, "
                "or rename it there"
            )
        if name in own:
            raise UserError(
                f"{where}: '{word}' and another address have the name '{name}'; enter one of them in {judges.sources}"
            )
        own[name] = addressed.entry
    return own


def _shown_path(file: str, repository: Path) -> Path:
    """A file of the repository as messages name it: relative to the working directory."""
    return Path(os.path.relpath(repository / file))


def _used_models(config: Mapping[str, Any]) -> list[str]:
    """The models that the config names, except the models of embedded judges, which are of kind wheel."""
    radar = config["radar"]
    used: list[str] = [*radar["models"], *radar["memorisation"]["pretrained"]["models"]]
    for benchmark in radar["suspected"].values():
        used.append(benchmark["model"])
        if "reference" in benchmark:
            used.append(benchmark["reference"])

    grounding = config["grounding"]
    used += [grounding["base"], *grounding["pretrained"]["models"]]
    for entry in (*grounding["pairs"].values(), *grounding["passages"].values()):
        used.append(entry["model"])
    return used


def _check_local_folder(name: str, models: _Listed) -> None:
    """Refuse a model of kind local if its folder is missing or has no model, unless a job makes it."""
    entry = models.entries[name]
    if entry["kind"] != "local":
        return
    folder = Path(entry["folder"]).expanduser()
    if _is_made_by_a_job(folder):
        return
    where = f"{models.source(name)}/folder"
    if not folder.is_dir():
        raise UserError(f"{where}: no folder {folder} (from {own_folder()}); correct the path")
    try:
        check_model_folder(folder)
    except UserError as error:
        raise UserError(f"{where}: {error}") from error


def _check_adapter(name: str, models: _Listed) -> None:
    """Refuse a model if the folder of its adapter has none."""
    entry = models.entries[name]
    if "adapter" not in entry:
        return
    try:
        check_adapter(Path(entry["adapter"]).expanduser())
    except UserError as error:
        raise UserError(f"{models.source(name)}/adapter: {error}") from error


def _check_folders(names: Iterable[str], where: str) -> None:
    """Refuse two names that would be one folder of results on a file system that ignores case."""
    first_with_key = dict[str, str]()
    for name in names:
        other = first_with_key.setdefault(name_key(name), name)
        if other != name:
            raise UserError(
                f"{where}: '{other}' and '{name}' are one folder of results on macOS and Windows, where case does not "
                "count; rename one"
            )


def _check_free(names: Iterable[str], taken: Mapping[str, str], where: str) -> None:
    """Refuse a name that the results have for something else; `taken` has the purpose of each such name."""
    for name in names:
        purpose = taken.get(name_key(name))
        if purpose is not None:
            raise UserError(f"{where}: '{name}' {purpose}; rename it")


def _check_labels(names: Iterable[str], listed: _Listed) -> None:
    """Refuse two entries with the same label: readers of tables and figures could not distinguish them."""
    first_with_label: dict[str, str] = {}
    for name in names:
        label = listed.entries[name]["label"]
        other = first_with_label.setdefault(label, name)
        if other != name:
            raise UserError(
                f"{listed.source(name)}/label: '{label}' is also the label of '{other}'; change one of the two"
            )


def _check_radar(radar: Mapping[str, Any], models: _Listed, repository: Path) -> None:
    """Refuse a model without trained weights, and a prompt set with a bad row, too few prompts or a training prompt."""
    _check_free(radar["models"], _NO_MODELS, "config, radar/models")
    _check_folders([radar["train"], *radar["evaluate"]], "config, radar/evaluate")
    for name in radar["models"]:
        _check_trained(name, models, "config, radar/models")
    for name in radar["memorisation"]["pretrained"]["models"]:
        _check_trained(name, models, "config, radar/memorisation/pretrained/models")
    for name in radar["detectors"]:
        check_object(name, "config, radar/detectors")

    training_path = _shown_path(f"config/prompts/{radar['train']}.csv", repository)
    training = read_prompts(training_path)
    check_folds(training, radar["folds"], training_path, needs_both_classes=True)
    for name in radar["evaluate"]:
        if name == radar["train"]:
            raise UserError(f"config, radar/evaluate: '{name}' is the training set; remove it")
        path = _shown_path(f"config/prompts/{name}.csv", repository)
        evaluation = read_prompts(path)
        check_folds(evaluation, radar["folds"], path, needs_both_classes=False)
        check_disjoint(training, evaluation, training_path, path)


def _check_suspected(name: str, config: Mapping[str, Any], models: _Listed) -> None:
    """Refuse a suspected benchmark if its models or files cannot be used, or no verdict could follow."""
    entry = config["radar"]["suspected"][name]
    where = f"config, radar/suspected/{name}"
    for key in ("model", "reference"):
        if key in entry:
            _check_trained(entry[key], models, f"{where}/{key}")
    if entry.get("reference") == entry["model"]:
        raise UserError(
            f"{where}/reference: '{entry['model']}' is the model itself; name another, or remove it"
        )
    if "seen" in entry and "unseen" not in entry:
        raise UserError(
            f"{where}: seen without unseen; Con-ReCall needs both: add unseen, or remove seen"
        )

    files = {}
    for key in ("items", "control", "unseen", "seen", "corpus"):
        if key in entry:
            files[key] = _existing_file(entry[key], f"{where}/{key}")
    if "calibration" in entry:
        _check_made_or_there(entry["calibration"], f"{where}/calibration")

    skip = entry.get("skip_faulty", False)
    benchmark = read_benchmark(files["items"], skip_faulty=skip)
    measured_items = [benchmark]
    if "control" in files:
        control = read_benchmark(files["control"], skip_faulty=skip)
        measured_items.append(control)
        # The model without its adapter is a reference.
        has_reference = "reference" in entry or "adapter" in models.entries[entry["model"]]
        check_control(
            benchmark,
            control,
            detectors=config["radar"]["verdict_detectors"],
            has_reference=has_reference,
            significance=significance_at(config["confidence_level"]),
        )
    check_order(benchmark, entry.get("random_order", ()))

    for key in ("unseen", "seen"):
        if key in files:
            prefix = read_prefix(files[key])
            for items in measured_items:
                check_prefix(items, prefix)
    if "corpus" in files:
        # Refuses an empty corpus; the other lines are read when they are needed.
        next(corpus_texts(files["corpus"]))
    _check_basis(where, entry, has_truth=benchmark.has_truth)


def _check_basis(where: str, entry: Mapping[str, Any], *, has_truth: bool) -> None:
    """Refuse a benchmark on which no verdict could be reached, unless its entry asks for scores only."""
    if has_truth or any(key in entry for key in ("control", "random_order")):
        return
    if entry.get("scores_only", False):
        return
    raise UserError(
        f"{where}: no control, so that no verdict can follow; name as control a file of items that the model cannot "
        "have seen: newer items of the same source, rewrites of your own, or a split that was held out; or write "
        "random_order: [items] (or [options]) if the rows (or the choices) were published in a random order; or "
        "scores_only: true for scores without a verdict (mechaware seen: --control FILE, --random-order items or "
        "--scores-only)"
    )


def _existing_file(location: str, where: str) -> Path:
    """The file of a path in the config. Refuses a missing one; `where` is the key that has the path."""
    path = Path(location).expanduser()
    if not path.is_file():
        raise UserError(f"{where}: no file {path} (from {own_folder()}); correct the path")
    return path


def _check_made_or_there(name: str, where: str) -> None:
    """Refuse a table that is missing, unless a job makes it."""
    if not _is_made_by_a_job(Path(name).expanduser()):
        _existing_file(name, where)


def _is_made_by_a_job(path: Path) -> bool:
    """Whether a file or folder is among the results. A job makes it, or Snakemake refuses it."""
    return path.absolute().is_relative_to(Path.cwd() / "results")


def _check_trained(name: str, models: _Listed, where: str) -> None:
    """Refuse a model that is not listed or has no trained weights."""
    models.check(name, where)
    if models.entries[name]["kind"] == "scratch":
        raise UserError(f"{where}: '{name}' has random weights; remove it")


def _check_grounding(grounding: Mapping[str, Any], models: _Listed, vocabulary: Path) -> None:
    """Refuse an unlisted model, a rule of no package, a faulty vocabulary or task, and a last step not evaluated."""
    for name in grounding["rules"]:
        check_object(name, "config, grounding/rules")
    models.check(grounding["base"], "config, grounding/base")
    for name in grounding["pretrained"]["models"]:
        models.check(name, "config, grounding/pretrained/models")

    _check_folders(grounding["pairs"], "config, grounding/pairs")
    for name, task in grounding["pairs"].items():
        _check_task(task, models, f"config, grounding/pairs/{name}")
    _check_folders(grounding["passages"], "config, grounding/passages")
    for name, entry in grounding["passages"].items():
        _check_passages(entry, models, f"config, grounding/passages/{name}")

    data = grounding["data"]
    read_vocabulary(vocabulary, tables=data["tables"], fields=data["fields"])

    training = grounding["training"]
    if training["steps"] % training["evaluate_every"]:
        raise UserError(
            f"config, grounding/training: evaluate_every {training['evaluate_every']} does not divide steps "
            f"{training['steps']}; the last step must be evaluated"
        )


def _check_task(task: Mapping[str, Any], models: _Listed, where: str) -> None:
    """Refuse a task with an unlisted model, or with faulty pairs in its table that may not be left out."""
    models.check(task["model"], f"{where}/model")
    table = _existing_file(task["table"], f"{where}/table")
    left_out: dict[str, list[str]] | None = {} if task.get("skip_faulty", False) else None
    read_pairs(table, options=task.get("options", ()), left_out=left_out)


def _check_passages(entry: Mapping[str, Any], models: _Listed, where: str) -> None:
    """Refuse an unlisted model, and a log from which no passages can be read."""
    models.check(entry["model"], f"{where}/model")
    log = Path(entry["log"]).expanduser()
    read_passages(log, field=entry.get("field", ""), metric=entry.get("metric", ""))


def _check_claims(
    claims: Mapping[str, Any],
    catalog: _Catalog,
    judges: _Listed,
    models: _Listed,
    repository: Path,
) -> None:
    """Refuse a judge, a paper or a version of the judges' prompts that is not there or cannot be used."""
    papers = catalog.papers
    for name in claims["judges"]:
        _check_judge(name, judges, models, "config, claims/judges")
    for name in catalog.own_judges:
        _check_judge(name, judges, models, "config, claims/own_judges")

    _check_own_rubric(claims)
    _check_folders(claims["judge_cards"], "config, claims/judge_cards")
    for name in claims["judge_cards"]:
        _check_judge_card(name, claims["judge_cards"][name], judges, models)
    _check_free(judges.entries, _NO_JUDGES, judges.sources)

    for name in claims["papers"]:
        check_choice(name, papers, "config, claims/papers", "config/papers.csv")
        paper = papers[name]
        if paper.source == "file" and not Path(paper.location).expanduser().exists():
            raise UserError(
                f"config/papers.csv, {name}: no file {paper.location} (from {Path.cwd()}); correct its location"
            )
    for name in claims["measured"]:
        _check_made_or_there(name, "config, claims/measured")

    for name in papers.keys() & judges.entries.keys():
        raise UserError(
            f"config/papers.csv: id '{name}' is the name of a judge in {judges.sources}; rename one"
        )
    if not claims["papers"] and not claims["planted_papers"] and not claims["own_paper"]:
        raise UserError(
            "config, claims: no papers and no planted_papers; name a paper of config/papers.csv"
        )
    _check_embedded_planted(claims, judges.entries)

    folder = f"config/judge_prompts/{claims['prompts']}"
    if not any((repository / folder).glob("*.*")):
        raise UserError(
            f"config, claims/prompts: no {folder}; name a folder of config/judge_prompts"
        )


def _check_own_rubric(claims: Mapping[str, Any]) -> None:
    """Refuse a rubric for `own_paper` that cannot be read, and a claim that nobody judges."""
    if not claims["own_rubric"]:
        if claims["own_claim"]:
            raise UserError(
                "config, claims/own_claim: only own_rubric judges it; name a rubric, or leave the claim out "
                "(by the 27 criteria a judge finds a paper's claims)"
            )
        return
    read_rubric(_existing_file(claims["own_rubric"], "config, claims/own_rubric"))


def _addressed_judges(cards: Entries, judges: _Listed) -> dict[str, Mapping[str, Any]]:
    """The entries of the judges that cards name by an address, by name. Refuses the name of another judge."""
    addressed: dict[str, Mapping[str, Any]] = {}
    for card, entry in cards.items():
        judge = read_address(entry.get("judge", ""))
        if judge is None:
            continue
        other = addressed.get(judge.name, judges.entries.get(judge.name))
        if other is not None and other != judge.entry:
            raise UserError(
                f"config, claims/judge_cards/{card}/judge: '{entry['judge']}' has the name '{judge.name}' of another "
                f"judge; enter it in {judges.sources} under a name of its own"
            )
        addressed[judge.name] = judge.entry
    return addressed


def _check_judge_card(
    name: str, entry: Mapping[str, Any], judges: _Listed, models: _Listed
) -> None:
    """Refuse a card without a judge or with two, or if its judge, rubric, items or replies cannot be used."""
    where = f"config, claims/judge_cards/{name}"
    if ("judge" in entry) == ("replies" in entry):
        raise UserError(f"{where}: name either a judge, or a file of replies")
    for key in ("items", "rubric", "replies"):
        if key in entry and not Path(entry[key]).expanduser().is_file():
            raise UserError(
                f"{where}/{key}: no file {entry[key]} (from {own_folder()}); correct the path"
            )

    rubric = read_rubric(Path(entry["rubric"]).expanduser())
    items = read_items(Path(entry["items"]).expanduser(), rubric)
    if "replies" in entry:
        read_replies(Path(entry["replies"]).expanduser(), items, rubric)
    elif read_address(entry["judge"]) is None:
        if "/" in entry["judge"]:
            raise UserError(f"{where}/judge: '{entry['judge']}' is no address; write {FORM}")
        _check_judge(entry["judge"], judges, models, f"{where}/judge")


def _check_embedded_planted(claims: Mapping[str, Any], judges: Entries) -> None:
    """Refuse an embedded judge without any paper."""
    planted = claims["planted_papers"] and claims["embedded_planted_papers"]
    if claims["papers"] or claims["own_paper"] or planted:
        return
    for name in claims["judges"]:
        if kind_named(judges[name]["kind"]).local_model:
            raise UserError(
                f"config, claims: the embedded judge '{name}' has no paper to read; raise embedded_planted_papers or "
                "name a paper of config/papers.csv"
            )


def _check_judge(name: str, judges: _Listed, models: _Listed, named_in: str) -> None:
    """Refuse a judge that is not listed or of no package, and an embedded one without a model for its server.

    `named_in` is the key of the config that names the judge.
    """
    judges.check(name, named_in)
    judge = judges.entries[name]
    where = judges.source(name)
    if judge["kind"] not in KINDS:
        check_object(judge["kind"], where)
    elif KINDS[judge["kind"]].local_model:
        models.check(judge["model"], where)
        if models.entries[judge["model"]]["kind"] != "wheel":
            raise UserError(
                f"{where}: '{judge['model']}' has no GGUF file; name a model of kind wheel"
            )
