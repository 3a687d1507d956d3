#!/usr/bin/env bash
# Runs a part of the small workflow on a SLURM of this one machine, by profiles/slurm, and compares it with a local run.
# See README.md beside this file.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
gpus=2  # that the node is said to have
keep=false
running=
daemons=()

say() { echo "slurm test: $*"; }
fail() { echo "slurm test: FAILED: $*" >&2; exit 1; }

stop_all() {
  local i
  if [[ -n $running ]]; then  # the script was interrupted: snakemake cancels its jobs
    kill -INT "$running" 2>/dev/null || true
    wait "$running" || true
  fi
  if ((${#daemons[@]} == 3)); then
    timeout 20 scancel --quiet --user "$(id -un)" || true
    for ((i = 0; i < 15; i++)); do [[ -n $(timeout 10 squeue --noheader) ]] || break; sleep 1; done
  fi
  for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do  # slurmd, slurmctld, munged
    kill "${daemons[i]}" 2>/dev/null || true
    wait "${daemons[i]}" 2>/dev/null || true
  done
}

finish() {
  local status=$?
  trap - EXIT INT TERM
  stop_all
  if ((status == 0)) && ! $keep; then
    rm -rf "$state"
  else
    say "logs and results are kept in $state"
  fi
  exit "$status"
}

install_missing() {
  local command missing=false policy=/usr/sbin/policy-rc.d
  for command in munged slurmctld slurmd sbatch; do
    command -v "$command" >/dev/null || missing=true
  done
  $missing || return 0
  say "installing slurmctld, slurmd, slurm-client and munge"
  if [[ -e $policy ]]; then policy=; else printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"; fi  # start no service
  (
    trap '[[ -z $policy ]] || rm -f "$policy"' EXIT
    export DEBIAN_FRONTEND=noninteractive
    timeout 120 apt-get update -qq
    timeout 300 apt-get install -qq -y --no-install-recommends slurmctld slurmd slurm-client munge
  ) >"$state/apt.log" 2>&1 || fail "apt-get could not install SLURM: $(tail -n 1 "$state/apt.log")"
}

free_ports() {
  python - "$1" <<'PYTHON'
import socket, sys

sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(each.getsockname()[1] for each in sockets))
PYTHON
}

write_configuration() {
  local node controller_port node_port
  node=$(hostname -s)
  read -r controller_port node_port < <(free_ports 2)
  mkdir -p "$state"/{bin,etc,munge,controller,node}
  dd if=/dev/urandom of="$state/munge/key" bs=1024 count=1 status=none
  chmod 600 "$state/munge/key"
  cat >"$SLURM_CONF" <<CONF
ClusterName=single
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$state/munge/socket
CredType=cred/munge
StateSaveLocation=$state/controller
SlurmdSpoolDir=$state/node
SlurmctldPidFile=$state/controller/pid
SlurmdPidFile=$state/node/pid
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SwitchType=switch/none
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$state/completed_jobs
Prolog=$state/etc/prolog
GresTypes=gpu
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc --all) RealMemory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo) Gres=gpu:$gpus
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  printf 'Name=gpu File=%s\n' /dev/null /dev/zero >"$state/etc/gres.conf"
  # The node itself notes which jobs it gives which GPU.
  printf '#!/bin/sh\necho "$SLURM_JOB_ID gpu:$SLURM_JOB_GPUS" >>%q\n' "$state/gpus_of_jobs" >"$state/etc/prolog"
  chmod 755 "$state/etc/prolog"
}

# The plugin runs a job's command by srun, without the variables named SLURM_*, of which SLURM_CONF is one. A cluster has its
# slurm.conf in /etc; to leave /etc alone, jobs find an srun that names this one.
write_srun() {
  printf '#!/bin/sh\nSLURM_CONF=%q exec %q "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$state/bin/srun"
  chmod 755 "$state/bin/srun"
  PATH=$state/bin:$PATH
}

# start NAME COMMAND...: in the background, out of reach of Ctrl-C; its process id is remembered, its messages are in $state/NAME.log
start() {
  local name=$1
  shift
  setsid "$@" >"$state/$name.log" 2>&1 &
  daemons+=($!)
  sleep 1
  kill -0 "${daemons[-1]}" 2>/dev/null || fail "$name did not start: $(tail -n 5 "$state/$name.log")"
}

wait_for_node() {
  local seconds
  for ((seconds = 0; seconds < 60; seconds++)); do
    if [[ $(timeout 10 sinfo --noheader --format %T 2>/dev/null) == idle ]]; then return; fi
    sleep 1
  done
  fail "the node is not idle after a minute: $(tail -n 5 "$state/slurmctld.log" "$state/slurmd.log")"
}

small=(--configfile config/test.yaml)
# What is made: results of RADAR that need downloads, GPUs, long jobs and each of its groups of short ones.
targets=(results/tables/radar_{performance,controls,answers}.csv results/figures/radar_{scores,features}.pdf)

# The profile's 10 s from a submission to the first look are for a cluster of many users.
looks=(--slurm-init-seconds-before-status-checks 2)

# workflow LOG SECONDS ARGUMENTS...: snakemake by the profile under test; its exit status
workflow() {
  local log=$1 seconds=$2 status=0
  shift 2
  timeout --kill-after 60 "$seconds" snakemake --workflow-profile profiles/slurm "${looks[@]}" \
    --directory "$work" --verbose "$@" >"$log" 2>&1 &
  running=$!
  wait "$running" || status=$?
  running=
  return "$status"
}

# What snakemake submitted, one sbatch call a line, without the wrapped command.
submissions() { grep -E '^sbatch call: ' "$1" | sed 's/ --wrap=.*//'; }

# The same by rule or group: `capture_activations --gpus=1 ...`
submitted_rules() { submissions "$1" | sed -E "s/^.* --comment '?rule_//; s/_wildcards_[^ ]*//"; }

local_by_declaration() { python -m tests.slurm.declared_rules; }

# Jobs that the profile groups see this environment's python and the working directory, and run one after the other; so their
# group asks for the core and memory of one and the time of all.
check_group() {
  local log=$state/group.log
  cat >"$state/group.smk" <<'SMK'
rule all:
    input:
        "first.txt",
        "second.txt",


rule draw_page:
    output:
        "{name}.txt",
    shell:
        "(command -v python; pwd; date +%s.%N; sleep 3; date +%s.%N) > {output}"
SMK
  workflow "$log" 300 --snakefile "$state/group.smk" || fail "the first jobs did not succeed, see $log"
  diff <(for _ in 1 2; do command -v python; echo "$work"; done) <(head --quiet --lines 2 "$work"/{first,second}.txt) ||
    fail "a job has not the python and the working directory of the one who submits it (< expected, > seen)"
  paste -d ' ' - - < <(tail --quiet --lines 2 "$work"/{first,second}.txt) | sort --numeric-sort >"$state/intervals"
  awk '$1 < end { exit 1 } { end = $2 }' "$state/intervals" || fail "jobs of a group ran at the same time, see $state/intervals"
  diff <(printf '%s\n' '-t 20' '--mem 1500' '--cpus-per-task=1') \
    <(submissions "$log" | grep -oE -- ' (-t|--mem|--cpus-per-task)[ =][0-9]+' | cut -c 2-) ||
    fail "two jobs of 10 minutes in a group do not ask for the core and memory of one and the time of both (< expected, > asked for)"
  say "two jobs of a group ran one after the other, on one core and with the time of both"
}

# A job that exceeds the memory that the profile gives by default is killed, and done by the second attempt.
check_memory() {
  local log=$state/memory.log
  cat >"$state/memory.smk" <<'SMK'
rule hungry:
    output:
        "hungry.txt",
    shell:
        "python -c \"import time; kept = b'x' * 2_000_000_000; time.sleep(6)\" && touch {output}"
SMK
  workflow "$log" 300 --snakefile "$state/memory.smk" || fail "more memory did not help, see $log"
  diff <(printf '%s\n' 1500 3000) <(submissions "$log" | grep -oE -- '--mem [0-9]+' | cut -d ' ' -f 2) ||
    fail "a job out of memory was not tried again with twice as much (< expected MB, > asked for)"
  say "a job that took 2,000 MB was killed at 1,500 and done with 3,000"
}

check_run() {
  local log=$state/run.log submitted completed stray
  say "running ${targets[*]:-everything}; follow it in $log"
  : >"$state/completed_jobs"  # SLURM appends to both
  : >"$state/gpus_of_jobs"
  SECONDS=0
  workflow "$log" 3600 "${targets[@]}" "${small[@]}" || fail "the workflow did not succeed: $(tail -n 30 "$log")"
  say "the workflow took $SECONDS s"

  workflow "$state/again.log" 120 "${targets[@]}" "${small[@]}" --dry-run ||
    fail "a dry run after the run fails, see $state/again.log"
  grep -q "Nothing to be done" "$state/again.log" ||
    fail "a second run would make something again, see $state/again.log; was a file of the repository edited meanwhile?"

  submitted=$(submissions "$log" | wc -l)
  completed=$(grep -c 'JobState=COMPLETED' "$state/completed_jobs")
  ((completed == submitted)) || fail "SLURM completed $completed of $submitted submitted jobs"
  say "$(awk '/^total/ {print $2; exit}' "$log") jobs were $submitted submissions and $(local_rules "$log" | wc -l) kinds of local job:" \
    "$(local_rules "$log" | tr '\n' ' ')"
  stray=$(comm -23 <(local_rules "$log") <(printf '%s\n' all $(local_by_declaration) | sort))
  [[ -z $stray ]] || fail "not submitted, though it needs no network: $stray"
  stray=$(comm -12 <(submitted_rules "$log" | cut -d ' ' -f 1 | sort -u) <(local_by_declaration | sort))
  [[ -z $stray ]] || fail "submitted to a node, though it needs the network: $stray"
}

local_rules() { grep -oE '^ *localrule [a-z_0-9]+' "$1" | sed 's/.* //' | sort -u; }

check_gpu() {
  local log=$state/run.log asking planned asked allocated
  python -m tests.slurm.plans "${small[@]}" -- "${targets[@]}" >"$state/gpu_rules"
  asking=$(submitted_rules "$log" | grep -E -- ' --gpus=1( |$)' | cut -d ' ' -f 1 | sort)
  ! submissions "$log" | grep -E -- '--gres|--gpus=([02-9]|1[^ ])' || fail "a GPU was asked for in another way than --gpus=1"
  planned=$(submitted_rules "$log" | cut -d ' ' -f 1 | grep -xFf "$state/gpu_rules" | sort || true)
  diff <(echo "$planned") <(echo "$asking") || fail "not the rules that plan a GPU asked for one (< expected, > asking)"
  asked=$(wc -l <<<"$asking")
  allocated=$(grep -cE ' gpu:[0-9]+$' "$state/gpus_of_jobs" || true)
  ((allocated == asked)) || fail "SLURM gave a GPU to $allocated jobs of $asked"
  grep -E ' gpu:[0-9]+$' "$state/gpus_of_jobs" | cut -d ' ' -f 1 >"$state/gpu_ids"
  (($(python -m tests.slurm.gpu_jobs slurm "$state/completed_jobs" "$state/gpu_ids") == gpus)) ||
    fail "$gpus GPUs did not come to $gpus GPU jobs at a time"
  say "$asked jobs of $(sort -u <<<"$asking" | wc -l) rules asked for one GPU each and got it, $gpus at a time"
}

# The same on this machine without SLURM, and with eight cores, so that nothing but gpu=1 keeps two GPU jobs apart. One thread a
# job, as by the profile: sums have the same last bits.
check_local_run() {
  local log=$state/local.log pattern path
  say "running the same without SLURM; follow it in $log"
  mkdir -p "$state/local/results/models"
  ln -s "$work/results/downloads" "$state/local/results/downloads"
  ln -s "$work"/results/models/smollm2-135m-instruct* "$state/local/results/models"  # a minute to convert
  SECONDS=0
  timeout --kill-after 60 3600 snakemake --max-threads 1 --cores 8 --resources gpu=1 --directory "$state/local" \
    --rerun-triggers mtime "${small[@]}" -- "${targets[@]}" >"$log" 2>&1 &
  running=$!
  wait "$running" || fail "the local run did not succeed: $(tail -n 30 "$log")"
  running=
  (($(python -m tests.slurm.gpu_jobs local "$state/local" "$state/gpu_rules") == 1)) || fail "with gpu=1 two GPU jobs ran at a time"
  for pattern in 'tables/*.csv' 'tables/*.tex' 'tables/shown/*.csv' 'figures/*.p[dn][fg]' 'values/*.json' 'paper/*.pdf'; do
    for path in "$work"/results/$pattern; do
      [[ $path == *.provenance.json || ! -e $path ]] || cmp -s "$path" "$state/local/results/${path#"$work/results/"}" ||
        echo "${path#"$work/results/"}"
    done
  done >"$state/different"
  [[ ! -s $state/different ]] || fail "the local run has other bytes in $(tr '\n' ' ' <"$state/different")"
  say "the local run took $SECONDS s, never two GPU jobs at a time, and gave the same bytes"
}

# A job that is cancelled from outside: the run fails, leaves no half of a file, and the next one makes the same bytes.
check_cancelled() {
  local log=$state/cancelled.log target before id= status=0
  target=$(cd "$work" && find results/radar/*/answers -name '*.parquet' | sort | head -n 1)
  before=$(sha256sum <"$work/$target")
  timeout --kill-after 60 300 snakemake --workflow-profile profiles/slurm --directory "$work" --verbose \
    --retries 0 "${looks[@]}" "${small[@]}" --force "$target" >"$log" 2>&1 &
  running=$!
  while [[ -z $id ]] && kill -0 "$running" 2>/dev/null; do
    sleep 1
    id=$(timeout 10 squeue --noheader --states RUNNING --format %i)
  done
  sleep 3  # the job has begun to compute
  scancel "$id" || fail "no job to cancel, see $log"
  wait "$running" || status=$?
  running=
  ((status != 0 && status < 124)) || fail "snakemake did not report the cancelled job, see $log"
  # SLURM lets a cancelled command live for KillWait, so it may even have come to its end.
  [[ ! -e $work/$target || $(sha256sum <"$work/$target") == "$before" ]] || fail "a cancelled job left half of $target"
  workflow "$state/resumed.log" 600 "$target" "${small[@]}" ||
    fail "the next run did not finish, see $state/resumed.log"
  [[ $(sha256sum <"$work/$target") == "$before" ]] || fail "after a cancelled job $target has other bytes"
  [[ -z $(find "$work/results" -name '.partial.*') ]] || fail "a partial file is left: $(find "$work/results" -name '.partial.*')"
  say "a cancelled job left nothing half-written, and the next run finished with the same bytes"
}

# A model that cannot be read: its job fails on the node, and snakemake must say so, soon, with the command's own message.
check_failure() {
  local log=$state/failure.log status=0 target config
  target=$(cd "$work" && find results/activations -mindepth 2 -type d | sort | head -n 1)
  config=$work/results/models/$(basename "$(dirname "$target")")/config.json
  cp "$config" "$state/config.json"
  echo "{" >"$config"
  SECONDS=0
  workflow "$log" 600 --retries 0 "${small[@]}" --force "$target" || status=$?
  cp "$state/config.json" "$config"
  ((status != 124 && status != 137)) || fail "snakemake did not notice in 600 s that a job failed, see $log"
  ((status != 0)) || fail "snakemake took a failed job for a success, see $log"
  grep -qE "SLURM status is: 'FAILED'" "$log" || fail "snakemake failed for another reason than a failed job, see $log"
  grep -q 'JobState=FAILED' "$state/completed_jobs" || fail "SLURM saw no failed job"
  grep -qE '^ *error: .*config\.json' "$log" || fail "the run does not print the failed command's own message, see $log"
  say "a failing job was reported after $SECONDS s, with its log: $(grep -oE "SLURM-job '[0-9]+' failed, SLURM status is: 'FAILED'" "$log" | tail -n 1)"
}

for option; do
  case $option in
    --keep) keep=true ;;
    --whole) targets=() ;;
    *) echo "usage: bash tests/slurm/single_node.sh [--keep] [--whole]" >&2; exit 2 ;;
  esac
done
((EUID == 0)) || fail "run it as root: it starts SLURM's daemons"
if ! command -v snakemake >/dev/null && [[ -x $repository/.venv/bin/snakemake ]]; then PATH=$repository/.venv/bin:$PATH; fi
command -v snakemake >/dev/null || fail "no snakemake: put the environment's bin first on PATH, or run 'make test' once, which sets up .venv"
python -c 'import snakemake_executor_plugin_slurm' 2>/dev/null || fail "this python lacks snakemake-executor-plugin-slurm"

state=$(mktemp -d "${TMPDIR:-/tmp}/slurm-test.XXXXXX")
chmod 755 "$state"  # munge refuses a socket that not everyone can reach
work=$state/work
mkdir "$work"
for name in "${!SLURM_@}" "${!SBATCH_@}" "${!SNAKEMAKE_@}"; do unset "$name"; done
cd "$repository"
export SLURM_CONF=$state/etc/slurm.conf
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

install_missing
write_configuration
write_srun
start munged munged --foreground --key-file "$state/munge/key" --socket "$state/munge/socket" \
  --pid-file "$state/munge/pid" --seed-file "$state/munge/seed"
start slurmctld slurmctld -D -i
start slurmd slurmd -D
wait_for_node
say "the node is idle: $(sinfo --noheader --format '%c CPUs, %m MB, %G')"
check_group
check_memory
check_run
check_gpu
check_cancelled
check_failure
check_local_run
say "passed"
