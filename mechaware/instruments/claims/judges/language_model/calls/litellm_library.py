"""The library litellm, through which providers are called and by whose list calls are priced."""

import logging
import os
from functools import cache
from types import ModuleType


@cache
def load_litellm() -> ModuleType:
    """Import litellm (3 s), so set that it uses the network for our calls only."""
    # Without these settings it fetches a price list and a list of headers, and reads a .env file.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    # Calls to a server on this machine do not go through the proxy that a cluster names. Hosts that
    # the environment already excepts from the proxy stay excepted.
    excepted = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    hosts = [excepted, "127.0.0.1", "localhost", "::1"]
    os.environ["no_proxy"] = ",".join(host for host in hosts if host)
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    return litellm
