"""How the two sides talk: revisions, envelopes, rounds, streams, and what surrounds a request."""

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

CONVERSATION: Final[tuple[Capability, ...]] = (
    Capability(
        id="discover",
        title="Asking for revisions first",
        eras=MODERN,
        spec=f"{SPECIFICATION}/server/discover",
        standing=Supported(
            evidence=(
                "tests/protocol/test_negotiation.py::test_a_server_that_answers_discover_is_modern",
                "tests/protocol/test_connecting.py::test_the_sdks_server_over_stdio_is_modern",
            )
        ),
    ),
    Capability(
        id="handshake",
        title="The handshake",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/basic/lifecycle#initialization",
        standing=Supported(
            evidence=(
                "tests/protocol/test_negotiation.py::test_a_server_that_does_not_know_discover_gets_the_handshake",
                "tests/protocol/test_connecting.py::test_a_legacy_process_is_negotiated_with_and_gone_afterwards",
            ),
            note="Revisions 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05.",
        ),
    ),
    Capability(
        id="version-negotiation",
        title="Agreeing on a revision",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic/versioning#protocol-version-negotiation",
        standing=Supported(
            evidence=(
                "tests/protocol/test_negotiation.py::test_a_mutual_revision_that_a_server_names_is_probed_once_more",
                (
                    "tests/protocol/test_negotiation.py::"
                    "test_a_server_that_names_a_revision_and_refuses_it_is_asked_no_third_time"
                ),
            ),
            note="Includes the refusal -32022.",
        ),
    ),
    Capability(
        id="request-metadata",
        title="Members of every request",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic#_meta",
        standing=Supported(
            evidence=(
                "tests/protocol/test_envelope.py::test_a_modern_request_carries_its_members_beside_those_of_the_caller",
            ),
            note="Revision, our name and version, and what we can do.",
        ),
    ),
    Capability(
        id="missing-capability",
        title="Refusals for what we lack",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic#error-codes",
        standing=Supported(
            evidence=(
                "tests/protocol/test_missing_capabilities.py::test_the_servers_error_becomes_that_problem_and_its_data_stays_with_the_failure",
            ),
            note="A refusal with -32021 names what the server wanted.",
        ),
    ),
    Capability(
        id="result-types",
        title="Kinds of results",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic#result-responses",
        standing=Supported(
            evidence=(
                "tests/protocol/test_result_types.py::test_a_result_without_a_kind_is_complete",
                "tests/protocol/test_result_types.py::test_an_unknown_kind_is_a_violation_that_leaves_the_outcome_open",
            ),
            note="One that nobody knows is invalid, one that is missing is an ordinary result.",
        ),
    ),
    Capability(
        id="mrtr",
        title="Several rounds of one request",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic/patterns/mrtr",
        is_interactive=True,
        standing=Supported(
            evidence=(
                "tests/protocol/test_multi_round_trip.py::test_the_state_comes_back_as_it_was",
                "tests/protocol/test_multi_round_trip.py::test_several_requests_of_one_result_are_one_question_and_are_answered_together",
            ),
            note="Several questions of one result are one interaction, answered as a whole.",
        ),
    ),
    Capability(
        id="subscriptions-listen",
        title="The stream of changes",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic/patterns/subscriptions",
        standing=Supported(
            evidence=(
                "tests/protocol/test_listen_keeper.py::test_another_filter_gets_a_new_stream_before_the_old_one_ends",
                "tests/protocol/test_listening.py::test_a_server_that_was_restarted_is_listened_to_again_on_the_same_connection",
            ),
            note="One at a time; opened again when it is lost.",
        ),
    ),
    Capability(
        id="progress",
        title="Progress",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic/patterns/progress",
        standing=Supported(
            evidence=(
                "tests/host/test_calls.py::test_progress_is_told_with_what_the_server_gave",
                "tests/protocol/test_connection.py::test_progress_reaches_whoever_called",
            )
        ),
    ),
    Capability(
        id="cancellation",
        title="Cancellation",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic/patterns/cancellation",
        standing=Supported(
            evidence=(
                "tests/host/test_calling.py::test_a_running_call_is_cancelled_by_its_id",
                "tests/protocol/test_cancelling.py::test_a_process_is_told_which_of_its_requests_was_given_up",
                "tests/protocol/test_cancelling.py::test_a_modern_http_server_sees_the_request_of_a_call_that_was_given_up_close",
            ),
        ),
    ),
    Capability(
        id="pagination",
        title="Lists in pages",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/utilities/pagination",
        standing=Supported(
            evidence=(
                "tests/protocol/test_listing.py::test_pages_are_read_to_the_last_one_in_order",
                "tests/protocol/test_listing.py::test_a_cursor_that_repeats_ends_the_list_with_a_warning",
            )
        ),
    ),
    Capability(
        id="caching",
        title="How long answers hold",
        eras=MODERN,
        spec=f"{SPECIFICATION}/server/utilities/caching",
        standing=Supported(
            evidence=(
                "tests/host/test_read_cache.py::test_a_result_is_used_again_until_its_time_is_over",
                "tests/host/test_read_cache.py::test_a_private_result_is_for_the_authorization_that_read_it",
            ),
            note="By `ttlMs` and `cacheScope`; in memory only.",
        ),
    ),
    Capability(
        id="ping",
        title="Ping",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/basic/utilities/ping",
        standing=Supported(
            evidence=("tests/protocol/test_server_requests.py::test_a_ping_is_answered_at_every_revision",),
            note="A server's ping is answered; none is sent.",
        ),
    ),
    Capability(
        id="json-rpc-batches",
        title="Several messages in one",
        eras=LEGACY,
        spec="https://modelcontextprotocol.io/specification/2025-03-26/basic#batching",
        standing=Excluded(
            note="Only revision 2025-03-26 knows them, the next one removed them, and no server is known to send them."
        ),
    ),
    Capability(
        id="trace-context",
        title="Context of traces",
        eras=MODERN,
        spec=f"{SPECIFICATION}/basic#_meta",
        standing=Excluded(note="This host writes no traces that a server could continue."),
    ),
    Capability(
        id="experimental",
        title="Experimental capabilities",
        eras=BOTH,
        spec=f"{SPECIFICATION}/schema#clientcapabilities",
        client_says={"experimental": {}},
        standing=Excluded(note="They are no part of the specification. What a server declares there is shown only."),
    ),
)
