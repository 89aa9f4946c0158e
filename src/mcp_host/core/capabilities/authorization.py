"""Being let in: everything around tokens."""

from __future__ import annotations

from typing import Final

from mcp_host.core.capabilities.capability import BOTH, SPECIFICATION, Capability, Deferred, Supported

_PAGE: Final = f"{SPECIFICATION}/basic/authorization"
_NOT_YET: Final = "Not in this version. A token that you have already can be given as a bearer token."
_WITH_IT: Final = "Comes with signing in through a browser, which is not in this version."

AUTHORIZATION: Final[tuple[Capability, ...]] = (
    Capability(
        id="bearer-token",
        title="A token of your own",
        eras=BOTH,
        spec=f"{_PAGE}#access-token-usage",
        standing=Supported(
            evidence=(
                "tests/core/definitions/test_launch.py::test_a_bearer_token_becomes_the_header",
                "tests/protocol/transports/test_http.py::test_headers_of_the_launch_are_sent_and_cookies_are_not",
            ),
            note="Given as a reference; its value is never stored, shown or logged.",
        ),
    ),
    Capability(
        id="authorization-code",
        title="Signing in with a browser",
        eras=BOTH,
        spec=f"{_PAGE}#authorization-flow-steps",
        is_interactive=True,
        standing=Deferred(note=_NOT_YET),
    ),
    Capability(
        id="authorization-discovery",
        title="Finding who lets you in",
        eras=BOTH,
        spec=f"{_PAGE}/authorization-server-discovery",
        standing=Deferred(note=_WITH_IT),
    ),
    Capability(
        id="client-id-metadata",
        title="Client id metadata documents",
        eras=BOTH,
        spec=f"{_PAGE}/client-registration#client-id-metadata-documents",
        standing=Deferred(note=_WITH_IT),
    ),
    Capability(
        id="client-preregistration",
        title="Clients known beforehand",
        eras=BOTH,
        spec=f"{_PAGE}/client-registration#pre-registration",
        standing=Deferred(note=_WITH_IT),
    ),
    Capability(
        id="client-registration",
        title="Dynamic client registration",
        eras=BOTH,
        spec=f"{_PAGE}/client-registration#dynamic-client-registration",
        standing=Deferred(note=_WITH_IT),
    ),
    Capability(
        id="scope-step-up",
        title="Asking for more scope",
        eras=BOTH,
        spec=f"{_PAGE}#step-up-authorization-flow",
        is_interactive=True,
        standing=Deferred(note=_WITH_IT),
    ),
    Capability(
        id="refresh-tokens",
        title="Refreshing tokens",
        eras=BOTH,
        spec=f"{_PAGE}#refresh-tokens",
        standing=Deferred(note=_WITH_IT),
    ),
)
