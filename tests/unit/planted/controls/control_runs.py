"""Controls that are run on prompts, and on both prompts of every pair."""

import torch

from mechaware.models.patching.runs import TokenPair
from mechaware.planted.controls.schema_readers import BuiltControl
from tests.unit.planted.controls.schema_prompts import PAIRS, Pair


class Running:
    """A control that is run on prompts."""

    def __init__(self, control: BuiltControl) -> None:
        self.model, self.tokenizer, self.reads = control

    @torch.inference_mode()
    def logits(self, prompts: list[list[int]]) -> torch.Tensor:
        """The logits of the vocabulary's words at each prompt's end, (prompt, word).

        They are under the hooks that are set on the model. Prompts are padded on the right, where
        causal attention cannot look.
        """
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(prompt) for prompt in prompts], batch_first=True
        )
        ends = torch.tensor([len(prompt) - 1 for prompt in prompts])
        return self.model(ids).logits[torch.arange(len(ids)), ends]

    def answers(self, logits: torch.Tensor) -> list[str]:
        """The word with the highest logit, for each prompt."""
        return [self.tokenizer.decode([int(token)]).strip() for token in logits.argmax(-1)]


class Planted(Running):
    """A control whose words are those of `PAIRS`, with the logits of all their prompts."""

    def __init__(self, control: BuiltControl) -> None:
        super().__init__(control)
        self.pairs = [self.token_pair(pair) for pair in PAIRS]
        self.positions = torch.tensor([pair.position for pair in self.pairs])
        self.clean = self.logits([pair.clean for pair in self.pairs])
        self.corrupted = self.logits([pair.corrupted for pair in self.pairs])

    def token(self, word: str) -> int:
        (token,) = self.tokenizer.encode(f" {word}")
        return token

    def token_pair(self, pair: Pair) -> TokenPair:
        clean = self.tokenizer.encode(pair.clean)
        corrupted = self.tokenizer.encode(pair.corrupted)
        assert len(clean) == len(corrupted)
        different = [index for index in range(len(clean)) if clean[index] != corrupted[index]]
        (position,) = different
        return TokenPair(
            clean=clean,
            corrupted=corrupted,
            position=position,
            correct=self.token(pair.clean_word),
            incorrect=self.token(pair.corrupted_word),
        )

    def difference(self, logits: torch.Tensor) -> torch.Tensor:
        """logit(clean word) - logit(corrupted word) of each pair."""
        rows = torch.arange(len(self.pairs))
        correct = torch.tensor([pair.correct for pair in self.pairs])
        incorrect = torch.tensor([pair.incorrect for pair in self.pairs])
        return logits[rows, correct] - logits[rows, incorrect]
