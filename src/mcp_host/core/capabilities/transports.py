"""What messages travel over, and the headers that go with them."""

from __future__ import annotations

from typing import Final

from mcp_host.core.capabilities.capability import (
    BOTH,
    LEGACY,
    LEGACY_SPECIFICATION,
    MODERN,
    SPECIFICATION,
    Capability,
    Excluded,
    Supported,
)

TRANSPORTS: Final[tuple[Capability, ...]] = (
    Capability(
        id="stdio",
        title="A process's pipes (stdio)",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic/transports/stdio",
        standing=Supported(
            evidence=(
                "tests/protocol/transports/test_stdio.py::test_requests_are_answered_and_leaving_stops_the_server",
                "tests/protocol/transports/test_process.py::test_a_stopped_server_leaves_no_process",
            )
        ),
    ),
    Capability(
        id="streamable-http",
        title="Streamable HTTP",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic/transports/streamable-http",
        standing=Supported(
            evidence=(
                "tests/protocol/test_negotiation.py::test_the_sdks_http_server_is_spoken_to_in_the_modern_era",
                "tests/protocol/transports/test_http.py::test_other_calls_in_flight_outlive_a_fault",
            ),
            note="A fault of one request ends that request alone.",
        ),
    ),
    Capability(
        id="standard-headers",
        title="HTTP: standard headers",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic/transports/streamable-http#standard-request-headers",
        standing=Supported(
            evidence=(
                "tests/protocol/test_envelope.py::test_a_modern_server_sees_the_headers_of_a_call",
                "tests/protocol/test_connection.py::test_a_header_mismatch_makes_the_lists_stale",
            ),
            note="After a refusal with -32020 the lists are read again before anything else is sent.",
        ),
    ),
    Capability(
        id="x-mcp-header",
        title="HTTP: arguments in headers",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic/transports/streamable-http#custom-headers-from-tool-parameters",
        standing=Supported(
            evidence=(
                "tests/protocol/test_envelope.py::test_a_modern_server_sees_the_headers_of_a_call",
                (
                    "tests/protocol/test_listing.py::"
                    "test_a_tool_with_an_invalid_header_annotation_is_dropped_in_the_modern_era"
                ),
            ),
            note="A tool whose `x-mcp-header` is invalid is dropped, and the survey says so.",
        ),
    ),
    Capability(
        id="http-server-stream",
        title="HTTP: the server's own stream",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/basic/transports#listening-for-messages-from-the-server",
        standing=Supported(
            evidence=("tests/protocol/test_server_stream.py::test_what_a_server_says_on_its_own_stream_is_heard",)
        ),
    ),
    Capability(
        id="sessions",
        title="HTTP: sessions",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/basic/transports#session-management",
        standing=Supported(
            evidence=(
                "tests/protocol/transports/test_lost_sessions.py::test_a_read_is_tried_once_more_after_one_new_handshake",
                "tests/protocol/transports/test_lost_sessions.py::test_an_effect_is_not_sent_again_and_the_next_use_connects_anew",
            ),
            note="A forgotten session is begun anew once. What may have had an effect is never sent twice.",
        ),
    ),
    Capability(
        id="resumability",
        title="HTTP: resuming a stream",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/basic/transports#resumability-and-redelivery",
        standing=Supported(
            evidence=(
                "tests/protocol/transports/test_http_streams.py::test_a_legacy_stream_that_closed_is_taken_up_where_it_ended",
            )
        ),
    ),
    Capability(
        id="http-sse",
        title="HTTP+SSE of 2024-11-05",
        eras=LEGACY,
        spec="https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse",
        standing=Supported(
            evidence=("tests/protocol/test_sse.py::test_the_sdks_server_is_spoken_to_over_the_old_binding",),
            note='Only where a definition says `transport = "sse"`.',
        ),
    ),
    Capability(
        id="custom-transports",
        title="Other transports",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic/transports#custom-transports",
        standing=Excluded(note="A program that speaks stdio can stand in front of anything else."),
    ),
)
