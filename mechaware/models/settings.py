"""How a model is loaded and asked: keys of its entry in config/models.yaml."""

from dataclasses import dataclass

from mechaware.models.tokenisation.chat import Template


@dataclass(frozen=True)
class ModelSettings:
    """The keys of a model's entry in config/models.yaml that change what is computed, with their defaults.

    `template`: what surrounds a prompt (`tokenisation.chat.ask`).
    """

    template: Template = "none"


DEFAULTS = ModelSettings()
