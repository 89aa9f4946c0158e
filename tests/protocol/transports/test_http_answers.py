"""What the guard's stand-ins carry of the server's own words."""

from __future__ import annotations

import httpx2
import mcp_types
import pytest

from mcp_host.protocol.transports.faults import fault_of, trusted_error
from mcp_host.protocol.transports.http_answers import WORDS_CHARS, WORDS_MARGIN_CHARS, Posted, refusal_response


def body_words(text: str) -> str | None:
    refused = httpx2.Response(500, headers={"content-type": "text/plain; charset=utf-8"})
    posted = Posted(request_id=1, in_session=False)
    answer = mcp_types.JSONRPCError.model_validate_json(refusal_response(posted, refused, text.encode()).content)
    fault = fault_of(trusted_error(answer.error).data)
    assert fault is not None
    return fault.body


@pytest.mark.parametrize("before", [0, 290, 299])
def test_a_secret_across_the_cut_is_handed_on_whole_so_that_it_can_be_redacted(before: int) -> None:
    secret = "s3cret-" + "é" * 4_000
    words = body_words("." * before + secret + " more" * 100_000)
    assert words is not None
    assert secret in words
    assert len(words) == WORDS_CHARS + WORDS_MARGIN_CHARS


def test_a_short_body_is_handed_on_as_it_is() -> None:
    assert body_words(" come back later\n") == "come back later"
    assert body_words(" \n") is None
