"""Serves the embedded model on a loopback port, in a child process that ends with its parent.

The parent opens `embedded_server` and sends requests, for which `PromptSlots` chooses the slots.
This module is also the child's main module (`_serve`).
"""

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
# Prompts that the server keeps. One paper has six: one for its claims, and one for each of the five
# dimensions of a claim.
SLOTS = 6


class PromptSlots:
    """Which prompt each slot of the server holds, so that a reply depends only on its own request.

    The last bits of the model's arithmetic depend on which tokens of a prompt were processed
    together, and so on how many of them the slot had processed before. Now and then a sampled word
    depends on these bits. Each slot is therefore used for one whole prompt at a time:

    1. A request of its own processes the prompt from its first token on.
    2. Each request for a reply then finds the prompt in the slot and processes only its last token.

    So the first reply to a prompt and later replies, with other seeds, are computed alike, in every
    order of the requests and by every server.
    """

    def __init__(self, slots: int = SLOTS) -> None:
        # The slot of each prompt, the least recently used first. A slot without a prompt has a key
        # that is none: "empty 0".
        self._slots = {f"empty {slot}": slot for slot in range(slots)}

    def slot_of(self, prompt: str) -> tuple[int, bool]:
        """The slot of a prompt, and whether this slot holds the prompt already.

        A new prompt gets the least recently used slot, which holds it from then on: the caller must
        have the server process it there. Either way the slot is now the most recently used.
        """
        held = prompt in self._slots
        least_recent = next(iter(self._slots))
        slot = self._slots.pop(prompt if held else least_recent)
        self._slots[prompt] = slot
        return slot, held


@contextmanager
def embedded_server(gguf: Path, *, context_tokens: int, slots: int = SLOTS) -> Iterator[str]:
    """Serve a GGUF file with the OpenAI protocol until the context ends; yields the `api_base`.

    The server has `slots` slots. Each keeps a prompt and its reply, of at most `context_tokens`
    tokens together; `PromptSlots` chooses among them.

    The server runs on one thread. Two papers at a time, each with a server of its own, use two
    cores better than one server with two threads: these wait for each other, and on a busy machine
    they are twenty times slower.

    Raises `UserError` if the file cannot be served.
    """
    command = run_module.command("mechaware.instruments.claims.judges.language_model.calls.server")
    command += [str(gguf.resolve()), str(context_tokens), str(slots)]
    # The child imports from the same folders as this process.
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
            # At once: the child has nothing to save.
            child.kill()


def _serve(gguf: str, context_tokens: int, slots: int) -> None:
    """In the child: print the server's address, then serve until standard input ends.

    Standard input is a pipe from the parent: it ends when the parent is killed.
    """
    # Standard output is a pipe to the parent, for the address alone: what else this process prints
    # goes to standard error.
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii") as to_parent:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        import xllamacpp  # type: ignore[import-untyped]

        params = xllamacpp.CommonParams()
        params.model.path = gguf
        params.model_alias = {MODEL_NAME}
        params.n_ctx = context_tokens * slots
        params.n_parallel = slots
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        # A slot's arithmetic does not depend on what the other slots hold.
        params.kv_unified = False
        # Keep no prompts that have left their slot; the default is up to 8 GiB of them.
        params.cache_ram_mib = 0
        params.warmup = False
        params.verbosity = -1
        params.hostnames = ["127.0.0.1"]
        params.port = 0  # any free one
        server = xllamacpp.Server(params)
        print(server.listening_address, file=to_parent)
    sys.stdin.read()
    # At once: the server's own shutdown waits for the reply in progress.
    os._exit(0)


if __name__ == "__main__":
    _serve(gguf=sys.argv[1], context_tokens=int(sys.argv[2]), slots=int(sys.argv[3]))
