"""What servers offer: tools, resources, prompts, and what goes with them."""

from __future__ import annotations

from typing import Final

from mcp_host.core.capabilities.capability import BOTH, SPECIFICATION, Capability, Excluded, Supported

SERVER_FEATURES: Final[tuple[Capability, ...]] = (
    Capability(
        id="tools",
        title="Tools: listing and calling",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/tools",
        server_says={"tools": {}},
        standing=Supported(
            evidence=(
                "tests/protocol/test_connection.py::test_a_call_returns_the_raw_result",
                "tests/host/test_calling.py::test_a_read_runs_at_once_and_its_result_is_the_servers_own",
            ),
            note="What is not classified as a read waits for your review first.",
        ),
    ),
    Capability(
        id="tools-list-changed",
        title="Tools: changes of the list",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/tools#list-changed-notification",
        server_says={"tools": {"listChanged": True}},
        standing=Supported(
            evidence=(
                "tests/host/test_supervisor.py::test_a_changed_list_is_read_at_the_next_use_and_once_however_many_ask",
            )
        ),
    ),
    Capability(
        id="tool-annotations",
        title="Tools: hints on effects",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/tools#tool",
        standing=Supported(
            evidence=("tests/views/test_card.py::test_the_card_shows_description_arguments_effect_and_claims",),
            note="Shown as what the server claims. They let nothing run: only your `read` list does.",
        ),
    ),
    Capability(
        id="structured-output",
        title="Tools: structured results",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/tools#structured-content",
        standing=Supported(
            evidence=(
                (
                    "tests/core/rendering/test_content.py::"
                    "test_structured_content_is_laid_out_after_the_text_that_says_something_else"
                ),
                "tests/core/test_outcomes.py::test_a_result_that_breaks_its_output_schema_still_succeeded",
            ),
            note="A result that breaks its output schema is shown, with the fault named.",
        ),
    ),
    Capability(
        id="json-schema",
        title="JSON Schema of arguments",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic#json-schema-usage",
        standing=Supported(
            evidence=(
                "tests/core/test_schemas.py::test_references_are_followed_inside_the_schema_in_its_dialect",
                "tests/core/test_schemas.py::test_a_pattern_that_never_ends_is_not_run",
            ),
            note="Drafts 3 to 2020-12. No reference leads to the network, and no schema can hold up the editor.",
        ),
    ),
    Capability(
        id="content-blocks",
        title="Text, images, audio, links",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/tools#tool-result",
        standing=Supported(
            evidence=(
                (
                    "tests/core/rendering/test_content.py::"
                    "test_every_known_block_is_shown_in_order_and_an_unknown_one_as_it_came"
                ),
            ),
            note="Images, audio and binary data are saved as files that a line opens.",
        ),
    ),
    Capability(
        id="icons",
        title="Icons",
        eras=BOTH,
        spec=f"{SPECIFICATION}/basic#icons",
        standing=Excluded(note="A buffer shows text. No icon is fetched, so no server learns when it is looked at."),
    ),
    Capability(
        id="instructions",
        title="A server's instructions",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/discover#response",
        standing=Supported(
            evidence=(
                "tests/core/catalog/test_summaries.py::test_a_server_is_told_by_the_nearest_words_there_are",
                "tests/protocol/test_connection.py::test_a_connection_knows_who_answered_and_at_which_revision",
            ),
            note="Shown where nothing better says what a server is for.",
        ),
    ),
    Capability(
        id="resources",
        title="Resources: listing, reading",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/resources",
        server_says={"resources": {}},
        standing=Supported(
            evidence=(
                "tests/host/test_reading.py::test_a_resource_is_what_the_server_sent_with_where_it_came_from",
                "tests/host/test_reading.py::test_a_resource_that_is_not_there_is_unknown",
            )
        ),
    ),
    Capability(
        id="resource-templates",
        title="Resources: templates",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/resources#resource-templates",
        standing=Supported(
            evidence=(
                "tests/protocol/test_connection.py::test_the_catalog_holds_everything_that_is_listed",
                "tests/views/test_survey.py::test_the_survey_is_a_line_a_thing_and_each_can_be_acted_on",
            )
        ),
    ),
    Capability(
        id="resources-list-changed",
        title="Resources: changes of lists",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/resources#list-changed-notification",
        server_says={"resources": {"listChanged": True}},
        standing=Supported(
            evidence=(
                "tests/protocol/test_hearing.py::test_our_side_hears_what_is_well_formed",
                "tests/protocol/test_listening.py::test_a_connection_listens_from_its_start_for_the_lists_that_the_server_tells",
            )
        ),
    ),
    Capability(
        id="resource-subscriptions",
        title="Resources: changes of one",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/resources#subscriptions",
        server_says={"resources": {"subscribe": True}},
        standing=Supported(
            evidence=(
                "tests/protocol/test_listening.py::test_a_watched_resource_that_changes_is_heard_and_another_one_is_not",
                "tests/protocol/test_resource_subscriptions.py::test_a_legacy_server_gets_a_request_for_each_resource_and_one_when_it_is_forgotten",
            ),
            note="For the resources that were read last.",
        ),
    ),
    Capability(
        id="prompts",
        title="Prompts: listing, getting",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/prompts",
        server_says={"prompts": {}},
        standing=Supported(
            evidence=("tests/host/test_reading.py::test_a_prompt_is_filled_in_by_the_server",),
        ),
    ),
    Capability(
        id="prompts-list-changed",
        title="Prompts: changes of the list",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/prompts#list-changed-notification",
        server_says={"prompts": {"listChanged": True}},
        standing=Supported(
            evidence=(
                "tests/protocol/test_hearing.py::test_our_side_hears_what_is_well_formed",
                "tests/host/test_supervisor.py::test_a_changed_list_is_read_at_the_next_use_and_once_however_many_ask",
            )
        ),
    ),
    Capability(
        id="completion",
        title="Completion of arguments",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/utilities/completion",
        server_says={"completions": {}},
        standing=Supported(
            evidence=("tests/host/test_completing.py::test_the_server_suggests_what_an_argument_may_be",),
            note="For arguments of prompts and of resource templates.",
        ),
    ),
    Capability(
        id="logging",
        title="Log messages",
        eras=BOTH,
        spec=f"{SPECIFICATION}/server/utilities/logging",
        server_says={"logging": {}},
        standing=Supported(
            evidence=(
                "tests/protocol/test_hearing.py::test_our_side_hears_what_is_well_formed",
                "tests/protocol/test_negotiation.py::test_a_legacy_server_that_logs_is_told_the_level_and_nobody_waits_for_it",
            ),
            note="Asked for only where you give a level. Deprecated by the specification in 2026-07-28.",
        ),
    ),
)
