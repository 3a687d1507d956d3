"""Serves the embedded model on a loopback port, in a child process that does not outlive its parent."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mechaware.core import run_module
from mechaware.core.errors import UserError

# The model's name in requests, in place of the server's default, the file's path.
MODEL_NAME = "embedded"
SLOTS = 6  # prompts that the server keeps: for one paper, one for each of the five dimensions and one for the claims


class PromptSlots:
    """Which prompt each slot of the server holds, so that a reply depends only on its own request.

    The arithmetic of a prompt's tokens depends, in its last bits, on which of them were processed together, and so on
    how much of the prompt a slot held already; now and then a sampled word depends on that. A slot is therefore
    used for one whole prompt: the prompt is processed in it from its first token on, in a request of its own, and each
    reply to that prompt then begins with only its last token. The first reply and all later ones, with other seeds,
    are computed alike, in every order and by every server.
    """

    def __init__(self, slots: int = SLOTS) -> None:
        # By prompt, the least recently used first.
        self._slots = {f"empty {slot}": slot for slot in range(slots)}

    def slot_of(self, prompt: str) -> tuple[int, bool]:
        """The slot of a prompt, and whether this slot has processed the prompt already.

        A new prompt gets the least recently used slot.
        """
        held = prompt in self._slots
        least_recent = next(iter(self._slots))
        slot = self._slots.pop(prompt if held else least_recent)
        self._slots[prompt] = slot
        return slot, held


@contextmanager
def embedded_server(gguf: Path, *, context_tokens: int, slots: int = SLOTS) -> Iterator[str]:
    """Serve a GGUF file with the OpenAI protocol until the context ends; yields the `api_base`.

    Each of `slots` keeps a prompt of at most `context_tokens` tokens; `PromptSlots` chooses among them. The server
    runs on one thread: two papers at a time use two cores better than two threads, which wait for each other and on a
    busy machine are twenty times slower.
    Raises `UserError` if the file cannot be served.
    """
    command = run_module.command("mechaware.instruments.claims.judges.language_model.calls.server")
    command += [str(gguf.resolve()), str(context_tokens), str(slots)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, encoding="ascii"
    ) as child:
        try:
            address = child.stdout.readline().strip() if child.stdout else ""
            if not address:
                raise UserError(
                    f"{gguf}: the embedded model cannot be served; fetch the file again"
                )
            yield f"{address}/v1"
        finally:
            child.kill()  # it has nothing to save


def _serve(gguf: str, context_tokens: int, slots: int) -> None:
    """The child: print the address, serve until standard input ends, as it does when the parent is killed."""
    with os.fdopen(os.dup(1), "w", encoding="ascii") as answer:
        os.dup2(2, 1)  # all other output goes to the log
        import xllamacpp  # type: ignore[import-untyped]

        params = xllamacpp.CommonParams()
        params.model.path = gguf
        params.model_alias = {MODEL_NAME}
        params.n_ctx = context_tokens * slots
        params.n_parallel = slots
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.kv_unified = False  # a slot's arithmetic does not depend on what the others hold
        params.cache_ram_mib = 0  # by default up to 8 GiB of prompts that have left their slot
        params.warmup = False
        params.verbosity = -1
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        server = xllamacpp.Server(params)
        print(server.listening_address, file=answer)
    sys.stdin.read()
    os._exit(0)  # at once: the server's own shutdown waits for the reply in progress


if __name__ == "__main__":
    _serve(sys.argv[1], *map(int, sys.argv[2:]))
