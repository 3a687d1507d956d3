"""What a run says at its start and after a failure; no rules."""

from collections import Counter, defaultdict

MISSING = "missing"
MOST_NAMED = 5  # rules of a cause


def reasons(dag):
    """Why results are made again, a line for each cause with its jobs by rule; nothing if no result is.

    Snakemake says it of each job, amid the messages of a run, and calls an edit of the code a param that has changed.
    """
    causes = defaultdict(Counter)
    for job in dag.needrun_jobs():
        if job.output:
            causes[cause_of(job, dag.reason(job))][job.rule.name] += 1
    if causes.keys() <= {MISSING}:
        return
    for cause, jobs in causes.items():
        named = [
            name if count == 1 else f"{name} ({count} jobs)"
            for name, count in jobs.most_common(MOST_NAMED)
        ]
        if more := len(jobs) - len(named):
            named.append(f"{more} more")
        yield f"  {cause}: {', '.join(named)}"


def cause_of(job, reason):
    """Why a job runs: the first cause that holds."""
    changed = reason.params_changed
    if reason.forced:
        return "forced"
    if reason._missing_output:
        return MISSING
    if reason._incomplete_output:
        return "left incomplete by a run that was killed"
    if changed and repr(job.params.get("code")) in changed.only_new:
        return "its code has changed"
    if changed:
        old, new = (
            " ".join(sorted(values)) or "nothing"
            for values in (changed.only_old, changed.only_new)
        )
        return f"a value of the config or a seed has changed ({old} -> {new})"
    if reason._updated_input or reason.input_changed:
        return "its inputs have changed"
    if reason.code_changed or reason.software_stack_changed:
        return "its command or its environment has changed"
    return "made from results that are made again"


FAILURE = re.compile(
    r"^Error in rule (\S+):\n(?:    .*\n)*?    +log: (.*?) \(check log",
    re.MULTILINE,
)


def failures(logs):
    """The last line that each failed job wrote, by the logs of a run; none of a group, which lists jobs that ended well."""
    text = "".join(Path(log).read_text() for log in logs)
    found = dict.fromkeys(FAILURE.findall(text))
    for rule, path in found:
        written = Path(path)
        lines = written.read_text().split("\n") if written.is_file() else []
        last = next(
            (line for line in reversed(lines) if line.strip()), "it wrote nothing"
        )
        yield f"  {rule}: {last}  ({path})"
