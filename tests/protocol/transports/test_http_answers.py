"""What the guard's stand-ins carry of the server's own words."""

from __future__ import annotations

import httpx2
import mcp_types
import pytest

from mcp_host.protocol.transports.faults import fault_of, trusted_error
from mcp_host.protocol.transports.http_answers import (
    WORDS_CHARS,
    WORDS_MARGIN_CHARS,
    Posted,
    answer_body,
    refusal_response,
)


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


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {"error": null}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"text":"%s"}}' % (b"y" * 100_000),
        b'{"result":{"text":"%s"},"jsonrpc":"2.0","id": 1 }' % (b"y" * 100_000),
        b'{"jsonrpc":"2.0","id":7,"result":{"text":"%s' % (b"y" * 100_000),
        b'{"jsonrpc":"2.0","id":7,"result":null}',
        b"<html>",
        b"",
    ],
)
def test_what_answers_its_request_or_cannot_be_read_stays_as_it_is(body: bytes) -> None:
    assert answer_body(Posted(request_id=1, in_session=False), body) == body


@pytest.mark.parametrize("request_id", [1, "a"])
@pytest.mark.parametrize("said", [b"null", b"7", b'"b"'])
def test_an_answer_with_another_id_or_none_answers_the_request_that_it_came_for(
    request_id: int | str, said: bytes
) -> None:
    body = b'{"jsonrpc":"2.0","id":%s,"error":{"code":-32700,"message":"what?","data":{"mcp_host":{"sent":false}}}}'
    answer = answer_body(Posted(request_id=request_id, in_session=False), body % said)
    assert answer is not None
    error = mcp_types.JSONRPCError.model_validate_json(answer)
    assert (error.id, error.error.code) == (request_id, -32700)
    assert trusted_error(error.error).data is None  # it is still the server's own word


@pytest.mark.parametrize(
    "body", [b'{"jsonrpc":"2.0","id":%s,"result":%s}', b'{"result":%.0s%s,"id":11,"jsonrpc":"2.0"}']
)
def test_a_long_answer_with_another_id_answers_the_request_that_it_came_for(body: bytes) -> None:
    result = b'{"nested":{"id":1},"text":"%s"}' % (b"y" * 100_000)
    answer = answer_body(Posted(request_id=1, in_session=False), body % (b'"b"', result))
    assert answer is not None
    said = mcp_types.JSONRPCResponse.model_validate_json(answer)
    assert (said.id, len(said.result["text"])) == (1, 100_000)


def test_a_long_request_is_no_answer() -> None:
    body = b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"text":"%s"}}' % (b"y" * 100_000)
    assert answer_body(Posted(request_id=2, in_session=False), body) is None


@pytest.mark.parametrize("body", [b'{"jsonrpc":"2.0","method":"n"}', b'{"jsonrpc":"2.0","id":1,"method":"ping"}'])
def test_a_message_that_is_no_answer_is_none(body: bytes) -> None:
    assert answer_body(Posted(request_id=1, in_session=False), body) is None
    assert answer_body(Posted(request_id=None, in_session=False), body) == body
