"""One rule for each figure and table, made from the file that declares it.

How a file declares a result is in exhibits/report/results.py. A rule is named after its result. A
figure is results/figures/{name}.pdf, .png and .svg. A table is results/tables/{name}.csv, with its
cells as text in {name}.tex and shown/{name}.csv. A figure that shares its name with a table is
drawn by `draw_{name}`. The command also writes the provenance records.
"""

FIGURES = [result for result in RESULTS if result.folder == "figures"]
TABLES = [result for result in RESULTS if result.folder == "tables"]
TABLE_NAMES = {table.name for table in TABLES}


def figures_of(study):
    """The names of a study's figures."""
    return [figure.name for figure in FIGURES if figure.study == study]


def tables_of(study):
    """The names of a study's tables."""
    return [table.name for table in TABLES if table.study == study]


def results_of(study):
    """A study's outputs for readers: tables, figures and pages."""
    paths = []
    for result in [*TABLES, *FIGURES]:
        if result.study == study:
            paths += result.outputs
    return paths + list(STUDIES[study].pages)


def shown_in_report(path, result, subcategory):
    """A figure or table as the report shows it; `subcategory` is "Figures" or "Tables"."""
    label = subcategory.lower().removesuffix("s")
    return report(
        path,
        caption=caption(result.caption),
        category=STUDIES[result.study].title,
        subcategory=subcategory,
        labels={label: result.name.replace("_", " ")},
    )


def files_read(result):
    """The files that a result reads: for each parameter in its READS a list of paths.

    Each wildcard of a path is filled in with every value that the study has for it. Paths in
    `config/` and `docs/` begin in this repository, all others in the working directory. Raises
    `WorkflowError` for a wildcard that the study does not have.
    """
    wildcards = STUDIES[result.study].wildcards
    read = {}
    for name, pattern in result.reads.items():
        if unknown := set(re.findall(r"{(\w+)}", pattern)) - set(wildcards):
            raise WorkflowError(
                f"{result.file}: READS has a wildcard '{min(unknown)}'; "
                f"known: {', '.join(wildcards) or 'none'}"
            )
        paths = expand(pattern, **wildcards)
        read[name] = [
            repo(path) if path.startswith(("config/", "docs/")) else path
            for path in paths
        ]
    return read


def config_leaf(path, result):
    """The value of the config at a path in a result's CONFIG, such as `grounding/tau`.

    Raises `WorkflowError` if the path leads to nothing or to a section.
    """
    value = config
    for key in path.split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    if value is None or isinstance(value, dict):
        raise WorkflowError(
            f"{result.file}: CONFIG names '{path}', which is no leaf of the config; "
            "docs/configuration.md lists them"
        )
    return value


def flags(result, read):
    """A param: the words with which the command of a result begins; the outputs follow in `shell`.

    They are the module that declares the result, then a flag for each parameter of its function.
    `read` is `files_read(result)`. Raises `WorkflowError` for a parameter that neither the file
    declares nor the study supplies.
    """
    study_parameters = STUDIES[result.study].parameters
    settings = config["figures"][result.name] if result.settings else {}
    # Parameter -> the words after its flag.
    values = {
        **read,
        **{name: [config_leaf(path, result)] for name, path in result.config.items()},
        **{name: [value] for name, value in settings.items()},
        "seed": [derive_seed(config["seed"], result.name)],
        **study_parameters,
    }

    unknown = set(result.undeclared) - set(study_parameters)
    if unknown:
        raise WorkflowError(
            f"{result.file}: nothing gives '{min(unknown)}'; add it to READS, CONFIG or SETTINGS"
        )

    words = [result.module]
    for name in result.parameters:
        words.append(f"--{name.replace('_', '-')}")
        words += map(str, values[name])
    return words


def group_of(study):
    """A group: under a profile that groups jobs, the figures and tables of a study are submitted
    together.

    Under any other profile there is no group, since Snakemake searches a group whenever a job ends,
    which takes a fifth of a long dry run. Returns a function, since the profile's groups are not
    known until jobs are made.
    """

    def group(wildcards):
        return f"{study}_results" if workflow.group_settings.overwrite_groups else None

    return group


for figure in FIGURES:
    figure_rule = f"draw_{figure.name}" if figure.name in TABLE_NAMES else figure.name
    read = files_read(figure)

    rule:
        name:
            figure_rule
        input:
            **read,
        output:
            pdf=f"results/figures/{figure.name}.pdf",
            png=shown_in_report(f"results/figures/{figure.name}.png", figure, "Figures"),
            svg=f"results/figures/{figure.name}.svg",
            provenance=f"results/figures/{figure.name}.provenance.json",
        log:
            f"logs/{figure.study}/{figure_rule}.log",
        benchmark:
            f"benchmarks/results/{figure.study}/{figure_rule}.tsv"
        group:
            group_of(figure.study)
        conda:
            f"../envs/{STUDIES[figure.study].environments['figures']}.yaml"
        params:
            code=code("scripts/draw_figure.py", figure.file),
            contents=contents_of(*read.values()),
            flags=flags(figure, read),
        shell:
            f"{RUN_MODULE} scripts.draw_figure "
            "{params.flags:q} --out {output.pdf} --png {output.png} --svg {output.svg} 2> {log}"


for table in TABLES:
    read = files_read(table)

    rule:
        name:
            table.name
        input:
            **read,
        output:
            csv=shown_in_report(f"results/tables/{table.name}.csv", table, "Tables"),
            tex=f"results/tables/{table.name}.tex",
            shown=f"results/tables/shown/{table.name}.csv",
            provenance=f"results/tables/{table.name}.provenance.json",
            shown_provenance=f"results/tables/shown/{table.name}.provenance.json",
        log:
            f"logs/{table.study}/{table.name}.log",
        benchmark:
            f"benchmarks/results/{table.study}/{table.name}.tsv"
        group:
            group_of(table.study)
        conda:
            f"../envs/{STUDIES[table.study].environments['tables']}.yaml"
        params:
            code=code("scripts/fill_table.py", table.file),
            contents=contents_of(*read.values()),
            flags=flags(table, read),
        shell:
            f"{RUN_MODULE} scripts.fill_table "
            "{params.flags:q} --out {output.csv} --shown {output.shown} --tex {output.tex} 2> {log}"
