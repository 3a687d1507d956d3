"""A prompt that a server cuts is noticed by the number of tokens that the server has read."""

import json

from tests.fake_provider import Reply, said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    STATUSES_OF_BOTH,
    TEXT,
    statuses_except_no,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import Extract


def test_a_server_that_read_less_than_was_sent_is_named_in_the_notes(extract: Extract) -> None:
    whole, _ = extract(said(BOTH_CLAIMS))
    sent = whole.usage.sent_tokens
    assert whole.notes == []
    assert sent > 4000  # the guidance is long

    # The further space makes it another prompt, for which the store has no reply.
    cut, _ = extract(said(BOTH_CLAIMS, prompt_tokens=1000), text=f"{TEXT} ")

    (note,) = cut.notes
    assert note.startswith(
        "claims: the prompt was cut: the server says that it read 1,000 tokens, "
        f"and about {sent:,} were sent."
    )
    assert cut.usage.was_cut


def test_a_server_that_counts_three_quarters_of_the_tokens_has_cut_nothing(
    extract: Extract,
) -> None:
    """We count four characters a token: its tokens may have 4 / (3/4) = 5.3 characters."""
    whole, _ = extract(said(BOTH_CLAIMS))
    sent = whole.usage.sent_tokens

    # As above, a further space makes it another prompt.
    enough, _ = extract(said(BOTH_CLAIMS, prompt_tokens=3 * sent // 4 + 1), text=f"{TEXT} ")

    assert enough.notes == []
    assert not enough.usage.was_cut


def test_ollama_gets_the_length_of_the_context_to_keep(extract: Extract) -> None:
    """Calls follow Ollama's protocol; a prompt that it has cut is noticed as with other servers."""
    answered = {
        "model": "m",
        "message": {"role": "assistant", "content": json.dumps(BOTH_CLAIMS)},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 4096,
        "eval_count": 10,
    }
    run, calls = extract(
        Reply(body=json.dumps(answered).encode()),
        text=TEXT * 50,
        model="ollama_chat/m",
        context_tokens=20_000,
        max_tokens=2_000,
    )

    # The other calls are litellm's, for the model's card.
    call = calls[0]
    assert call.path.endswith("/api/chat")
    assert call.request["options"]["num_ctx"] == 20_000
    assert run.usage.prompt_tokens == 4096
    assert run.usage.was_cut
    assert statuses_except_no(run) == STATUSES_OF_BOTH
