"""A `python` for the jobs of a small run, which starts with numpy, pandas, torch and other
libraries loaded.

Two of every three seconds of a small run's jobs are imports. A server imports the libraries once,
and no module of this repository. It forks for each `python -m module` and `python -P file`, and the
child has the environment, folder and streams of the caller. The jobs find a client as `python` on
their `PATH`. The client waits for the child's exit status; if the client is killed, so is the
child. The gate's `make results` has no such server: there each job imports its libraries itself.

From client to server go the length of the request in four bytes and the three standard streams,
then the request: arguments, folder and environment as JSON. The answer is one byte, the exit
status; there is none if the server dies.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import psutil

LIBRARIES = (
    "jinja2",
    "jsonschema",
    "matplotlib.pyplot",
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "pydantic",
    "pypdfium2",
    "seaborn",
    "rapidfuzz",
    "safetensors.torch",
    "scipy.optimize",
    "scipy.stats",
    "skops.io",
    "sklearn.calibration",
    "sklearn.ensemble",
    "sklearn.feature_extraction.text",
    "sklearn.linear_model",
    "sklearn.svm",
    "snakemake.cli",
    "torch",
    "transformers.models.gpt_neo.modeling_gpt_neo",
    "transformers.models.llama.modeling_llama",
    "transformers.trainer",
    "tyro",
    "typst",
    "yaml",
)

# The client needs only the standard library, so it starts without the installed packages (-S).
CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [len(request).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(request)
    answer = server.recv(1)
sys.exit(answer[0] if answer else 1)
"""


@contextlib.contextmanager
def warm_python(folder: Path) -> Iterator[Path]:
    """Run a server while the context lasts; yields `folder`, which has the client `python`."""
    address = folder / "socket"
    client = folder / "python"
    client.write_text(CLIENT.format(python=sys.executable, address=str(address)))
    client.chmod(0o755)
    # Python reads the seed of its hashes only at its start, so the server has the jobs' own
    # (rules/common.smk).
    environment = os.environ | {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", __file__, str(address)]
    with subprocess.Popen(
        command,
        env=environment,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
    ) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        try:
            yield folder
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def serve(address: str) -> None:
    """Load the libraries, print `ready`, and fork for each request to the socket `address`.

    The server ends once its standard input is closed, together with all processes that it forked.
    """
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.collect()
    gc.freeze()  # the children share these pages
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        signal.signal(signal.SIGCHLD, reap)
        print("ready", flush=True)
        # The tests hold the other end of standard input: it can be read once they have ended, even
        # if they were killed.
        while True:
            readable, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in readable:
                break

            connection, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                answer(connection)
            connection.close()
    # The server's own process group, to which its children belong.
    os.killpg(0, signal.SIGTERM)


def reap(_signal: int, _frame: FrameType | None) -> None:
    """Collect the exit statuses of ended children, which would otherwise remain as zombies."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def answer(connection: socket.socket) -> None:
    """Run a client's request in a child of this process, and send the child's exit status.

    If the client is killed, so are the child and its descendants. Ends the process.
    """
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    request = b""
    while len(request) < int.from_bytes(size, "big"):
        request += connection.recv(1 << 16)
    arguments, folder, environment = json.loads(request)
    child = os.fork()
    if child == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        run_python(arguments, folder, environment)
    has_ended = os.pidfd_open(child)
    # The client sends nothing after the request, so a readable connection is a closed one.
    readable, _, _ = select.select([has_ended, connection], [], [])
    if has_ended not in readable:
        kill_with_descendants(child)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    # `code` is -n for a child that signal n ended; a shell reports 128 + n.
    exit_status = code if code >= 0 else 128 - code
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(bytes([exit_status]))
    os._exit(0)


def kill_with_descendants(child: int) -> None:
    parent = psutil.Process(child)
    for process in [*parent.children(recursive=True), parent]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def run_python(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Do what `python -m module ...` or `python -P file ...` does, with the libraries loaded.

    Ends the process.
    """
    import threadpoolctl
    import torch

    option, module_or_file = arguments[:2]
    assert option in ("-m", "-P"), arguments
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # The libraries read this variable when the server loaded them.
    threads = int(environment.get("OMP_NUM_THREADS", 1))
    threadpoolctl.threadpool_limits(threads)
    torch.set_num_threads(threads)
    python_path = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = filter(None, python_path)
    sys.argv = arguments[1:]
    if option == "-P":
        runpy.run_path(module_or_file, run_name="__main__")
    else:
        sys.path.insert(0, folder)
        runpy.run_module(module_or_file, run_name="__main__", alter_sys=True)
    sys.exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
