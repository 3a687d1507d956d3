"""What a run says at its start and after a failure; no rules."""

from collections import Counter, defaultdict

MISSING = "missing"
MOST_NAMED = 5  # rules of a cause, and causes that differ in their values alone
LONGEST = 60  # characters of two values that are shown
VALUE = "a parameter (of the config, a rule or a seed) has changed"


def reasons(dag):
    """Why results are made again, a line for each cause with its jobs by rule; nothing if no result is.

    Snakemake says it of each job, amid the messages of a run, and calls an edit of the code a param that has changed.
    """
    causes = defaultdict(Counter)
    for job in dag.needrun_jobs():
        if job.output:
            causes[cause_of(job, dag)][job.rule.name] += 1
    if causes.keys() <= {MISSING}:
        return
    valued = sorted(cause for cause in causes if cause.startswith(VALUE + " ("))
    if len(valued) > MOST_NAMED:  # seeds, of which every draw has its own
        for cause in valued:
            causes[VALUE] += causes.pop(cause)
    for cause, jobs in sorted(causes.items()):
        ranked = sorted(jobs.items(), key=lambda item: (-item[1], item[0]))
        named = [
            name if count == 1 else f"{name} ({count} jobs)"
            for name, count in ranked[:MOST_NAMED]
        ]
        if more := len(jobs) - len(named):
            named.append(f"{more} more")
        yield f"  {cause}: {', '.join(named)}"


def cause_of(job, dag):
    """Why a job runs, the first cause that holds; of a job behind another that runs Snakemake knows no other cause."""
    reason = dag.reason(job)
    changed = reason.params_changed
    if reason.forced:
        asked = dag.workflow.dag_settings
        if asked.forceall or asked.forcetargets or asked.forcerun:
            return "forced"
        return "left incomplete by a run that was killed"  # Snakemake forces these
    if reason._missing_output:
        return MISSING
    if changed and repr(job.params.get("code")) in changed.only_new:
        return "its code has changed"
    if changed:
        # Snakemake compares sets of values without names: one that another parameter has, too, is in neither.
        shown = f"{' '.join(changed.only_old)} -> {' '.join(changed.only_new)}"
        one_for_one = len(changed.only_old) == len(changed.only_new) == 1
        return f"{VALUE} ({shown})" if one_for_one and len(shown) <= LONGEST else VALUE
    if reason._updated_input or reason.input_changed:
        return "its inputs have changed or are newer"
    if reason.code_changed or reason.software_stack_changed:
        return "its command or its environment has changed"
    if not Path(job.output[0]).exists():  # a target after another that is missing
        return MISSING
    return "made from results that are made again"


FAILURE = re.compile(
    r"^Error in rule (\S+):\n(?:    .*\n)*?    +log: ([^,\n]*?)(?:, .*)? \(check log",
    re.MULTILINE,
)


BAR = re.compile(r"\d%\||\d\w* \[\d+:\d\d")  # of progress, with or without a known end
FRAME = "╭╮╰╯│─ "


def last_words(written):
    """Why a job failed, by its log: its last `error:` line, or else its last line without a frame; a killed job has none."""
    lines = [words for line in written.split("\n") if (words := line.strip(FRAME))]
    if not lines:
        return "it wrote nothing"
    if errors := [line for line in lines if line.startswith("error: ")]:
        return errors[-1]
    # Neither an error nor Ctrl-C ends a log amid its progress.
    return (
        "killed, perhaps for want of memory or time"
        if BAR.search(lines[-1])
        else lines[-1]
    )


def failures(logs):
    """Why each failed job did, by the logs of a run; none of a group, which lists jobs that ended well."""
    text = "".join(Path(log).read_text() for log in logs)
    found = dict.fromkeys(FAILURE.findall(text))
    for rule, path in found:
        written = Path(path).read_text() if Path(path).is_file() else ""
        yield f"  {rule}: {last_words(written)}  ({path})"
