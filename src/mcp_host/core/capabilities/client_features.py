"""What servers may ask of whoever sits here: forms, URLs, a model's words, folders."""

from __future__ import annotations

from typing import Final

from mcp_host.core.capabilities.capability import (
    BOTH,
    LEGACY,
    LEGACY_SPECIFICATION,
    SPECIFICATION,
    Capability,
    Excluded,
    Supported,
    Told,
)

_ELICITATION: Final[Told] = {"modern": "elicitation", "legacy": "elicitation"}
_SAMPLING: Final[Told] = {"modern": "sampling", "legacy": "sampling"}
_ROOTS: Final[Told] = {"modern": "modern_roots", "legacy": "legacy_roots"}
_ROOTS_CHANGES: Final[Told] = {"legacy": "legacy_roots"}

CLIENT_FEATURES: Final[tuple[Capability, ...]] = (
    Capability(
        id="elicitation-form",
        title="Questions as a form",
        eras=BOTH,
        spec=f"{SPECIFICATION}/client/elicitation#form-mode-elicitation-requests",
        client_says={"elicitation": {"form": {}}},
        is_interactive=True,
        standing=Supported(
            evidence=(
                "tests/host/test_interactions.py::test_a_person_answers_a_form_and_the_call_goes_on",
                "tests/core/interactions/test_form.py::test_every_form_of_the_specification_becomes_a_field_of_its_kind",
            ),
            told=_ELICITATION,
            note="You see who asks and for which tool; an answer is checked before it is sent.",
        ),
    ),
    Capability(
        id="elicitation-url",
        title="Questions behind a URL",
        eras=BOTH,
        spec=f"{SPECIFICATION}/client/elicitation#url-mode-elicitation-requests",
        client_says={"elicitation": {"url": {}}},
        is_interactive=True,
        standing=Supported(
            evidence=(
                "tests/protocol/test_asking.py::test_all_that_a_tool_asks_for_is_answered",
                "tests/core/interactions/test_urls.py::test_anything_but_http_is_not_offered_for_opening",
            ),
            told=_ELICITATION,
            note="The whole URL is shown. It is never opened or fetched unasked.",
        ),
    ),
    Capability(
        id="elicitation-complete",
        title="A URL's interaction has ended",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/client/elicitation#completion-notifications-for-url-mode-elicitation",
        standing=Supported(evidence=("tests/protocol/test_hearing.py::test_our_side_hears_what_is_well_formed",)),
    ),
    Capability(
        id="url-elicitation-required",
        title="Calls refused for a URL",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/client/elicitation#url-elicitation-required-error",
        is_interactive=True,
        standing=Supported(
            evidence=(
                "tests/protocol/test_url_elicitations.py::test_the_request_is_sent_again_once_all_its_urls_were_visited",
            ),
            note="A call refused with -32042 is sent again once you are done with its URLs.",
        ),
    ),
    Capability(
        id="sampling",
        title="Asking your model (sampling)",
        eras=BOTH,
        spec=f"{SPECIFICATION}/client/sampling",
        client_says={"sampling": {}},
        is_interactive=True,
        standing=Supported(
            evidence=(
                "tests/host/test_interactions.py::test_a_completion_is_offered_only_where_somebody_is_configured_to_give_it",
                "tests/protocol/test_asking.py::test_all_that_a_tool_asks_for_is_answered",
            ),
            told=_SAMPLING,
            note="Offered only where you say who answers. Deprecated by the specification in 2026-07-28.",
        ),
    ),
    Capability(
        id="sampling-include-context",
        title="Sampling: context of servers",
        eras=BOTH,
        spec=f"{SPECIFICATION}/client/sampling#context-inclusion",
        client_says={"sampling": {"context": {}}},
        standing=Excluded(
            note="It would hand what other servers said to the one that asks. Deprecated since 2025-11-25."
        ),
    ),
    Capability(
        id="sampling-tools",
        title="Sampling: calls of tools",
        eras=BOTH,
        spec=f"{SPECIFICATION}/client/sampling#sampling-with-tools",
        client_says={"sampling": {"tools": {}}},
        standing=Excluded(
            note="Who answers is asked for one message, and a request with tools is refused. A loop of calls that a "
            "server steers, in a feature that is deprecated, is not worth what it would take to review it."
        ),
    ),
    Capability(
        id="roots",
        title="Folders of the workspace",
        eras=BOTH,
        spec=f"{SPECIFICATION}/client/roots",
        client_says={"roots": {}},
        standing=Supported(
            evidence=(
                "tests/host/test_interactions.py::test_folders_are_told_to_whom_they_are_offered_without_asking_anybody",
            ),
            told=_ROOTS,
            note="Servers of 2026-07-28, where it is deprecated, are told only if you ask for that.",
        ),
    ),
    Capability(
        id="roots-list-changed",
        title="Folders: changes of the list",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/client/roots#root-list-changes",
        client_says={"roots": {"listChanged": True}},
        standing=Supported(
            evidence=("tests/host/test_roots_changed.py::test_a_legacy_server_is_told_that_the_folders_changed",),
            told=_ROOTS_CHANGES,
        ),
    ),
)
