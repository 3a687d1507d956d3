"""A `python` for the jobs of a small run that has numpy, pandas, torch and the like loaded already.

Two of every three seconds of a small run's jobs are imports. Here a server imports the libraries
once, none of this repository's own, and forks for each `python -m module` and `python -P file`,
with the environment, folder and streams of the caller. What `PATH` finds as `python` is a client
that waits for the child's exit status; if it is killed, so is the child. The gate's `make results`
starts every job from nothing.
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
    *(
        "jinja2",
        "jsonschema",
        "matplotlib.pyplot",
        "numpy",
        "pandas",
        "pyarrow.parquet",
        "pydantic",
        "pypdfium2",
        "seaborn",
    ),
    *(
        "rapidfuzz",
        "safetensors.torch",
        "scipy.optimize",
        "scipy.stats",
        "skops.io",
        "sklearn.calibration",
    ),
    *(
        "sklearn.ensemble",
        "sklearn.feature_extraction.text",
        "sklearn.linear_model",
        "sklearn.svm",
        "snakemake.cli",
    ),
    *(
        "torch",
        "transformers.models.gpt_neo.modeling_gpt_neo",
        "transformers.models.llama.modeling_llama",
    ),
    *("transformers.trainer", "tyro", "typst", "yaml"),
)

# The client knows the standard library only, and starts without the site's packages.
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
    """A server for as long as this lasts; gives `folder`, in which its `python` then lies."""
    address, client = folder / "socket", folder / "python"
    client.write_text(CLIENT.format(python=sys.executable, address=str(address)))
    client.chmod(0o755)
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
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.collect()
    gc.freeze()  # the children share these pages
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        signal.signal(signal.SIGCHLD, reap)
        print("ready", flush=True)
        # Standard input ends with the tests, even if they are killed: then so does all that was
        # started here.
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                answer(connection)
            connection.close()
    os.killpg(0, signal.SIGTERM)


def reap(_signal: int, _frame: FrameType | None) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def answer(connection: socket.socket) -> None:
    """Run what is asked for in a child of this process, and send its exit status;
    kill it if the caller is killed.
    """
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    request = b""
    while len(request) < int.from_bytes(size, "big"):
        request += connection.recv(1 << 16)
    child = os.fork()
    if child == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        run(*json.loads(request))
    has_ended = os.pidfd_open(child)
    # The caller sends no more: its connection can be read once it is closed.
    readable, _, _ = select.select([has_ended, connection], [], [])
    if has_ended not in readable:
        kill_with_descendants(child)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def kill_with_descendants(child: int) -> None:
    process = psutil.Process(child)
    for each in [*process.children(recursive=True), process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()


def run(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """What `python -m module ...` or `python -P file ...` does, where libraries are loaded;
    it ends the process.
    """
    import threadpoolctl
    import torch

    option, started = arguments[:2]
    assert option in ("-m", "-P"), arguments
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    threads = int(environment.get("OMP_NUM_THREADS", 1))
    threadpoolctl.threadpool_limits(threads)
    torch.set_num_threads(threads)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = arguments[1:]
    if option == "-P":
        runpy.run_path(started, run_name="__main__")
    else:
        sys.path.insert(0, folder)
        runpy.run_module(started, run_name="__main__", alter_sys=True)
    sys.exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
