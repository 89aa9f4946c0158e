"""The official extensions of the protocol, and the proposals that may become some."""

from __future__ import annotations

from typing import Final

from mcp_host.core.capabilities.capability import (
    BOTH,
    LEGACY,
    LEGACY_SPECIFICATION,
    MODERN,
    Capability,
    Deferred,
    Excluded,
    Fragment,
    Supported,
)

_PAGES: Final = "https://modelcontextprotocol.io/extensions"
_PROPOSALS: Final = "https://github.com/modelcontextprotocol/modelcontextprotocol/pull"


def _extension(name: str) -> Fragment:
    return {"extensions": {f"io.modelcontextprotocol/{name}": {}}}


EXTENSIONS: Final[tuple[Capability, ...]] = (
    Capability(
        id="tasks",
        title="Tasks",
        eras=MODERN,
        authority="extension",
        spec="https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md",
        client_says=_extension("tasks"),
        server_says=_extension("tasks"),
        is_interactive=True,
        standing=Supported(
            evidence=(
                "tests/protocol/test_tasks.py::test_a_task_is_asked_for_until_it_has_the_result_of_the_call",
                "tests/protocol/test_task_questions.py::test_what_a_task_asks_for_is_asked_for_the_call_and_its_answer_goes_back",
            ),
            told={"modern": "tasks"},
            note="A task is shown as the running call that it is. Its id is kept with the connection and not longer.",
        ),
    ),
    Capability(
        id="tasks-2025-11-25",
        title="Tasks as they were before",
        eras=LEGACY,
        spec=f"{LEGACY_SPECIFICATION}/basic/utilities/tasks",
        client_says={"tasks": {}},
        server_says={"tasks": {}},
        standing=Excluded(note="An experiment of revision 2025-11-25 alone. The extension has taken its place."),
    ),
    Capability(
        id="oauth-client-credentials",
        title="Letting a machine in",
        eras=BOTH,
        authority="extension",
        spec=f"{_PAGES}/auth/oauth-client-credentials",
        client_says=_extension("oauth-client-credentials"),
        server_says=_extension("oauth-client-credentials"),
        standing=Deferred(note="Not in this version: it comes after signing in through a browser."),
    ),
    Capability(
        id="enterprise-authorization",
        title="Enterprise-managed access",
        eras=BOTH,
        authority="extension",
        spec=f"{_PAGES}/auth/enterprise-managed-authorization",
        client_says=_extension("enterprise-managed-authorization"),
        server_says=_extension("enterprise-managed-authorization"),
        standing=Deferred(
            note="Not in this version: it comes after signing in through a browser, and needs an organisation whose "
            "identity provider knows this host."
        ),
    ),
    Capability(
        id="apps",
        title="Apps (HTML of servers)",
        eras=BOTH,
        authority="extension",
        spec=f"{_PAGES}/apps/overview",
        client_says=_extension("ui"),
        server_says=_extension("ui"),
        standing=Excluded(
            note="A terminal shows no HTML, and a server's scripts are not run. `_meta.ui` is ignored: the tool and "
            "its ordinary result are there as without it."
        ),
    ),
    Capability(
        id="skills",
        title="Skills",
        eras=MODERN,
        authority="extension",
        spec=f"{_PAGES}/skills/overview",
        client_says=_extension("skills"),
        server_says=_extension("skills"),
        standing=Deferred(
            note="Not in this version: they are instructions for a model, which a person should review first. Their "
            "files can be read as resources."
        ),
    ),
    Capability(
        id="dpop",
        title="Proof of possession (DPoP)",
        eras=BOTH,
        authority="candidate",
        spec=f"{_PROPOSALS}/1932",
        standing=Deferred(note="A proposal that is still open. It binds tokens that this version does not get yet."),
    ),
    Capability(
        id="workload-identity",
        title="Workload identity federation",
        eras=BOTH,
        authority="candidate",
        spec=f"{_PROPOSALS}/1933",
        standing=Excluded(
            note="An open proposal for programs that run where nobody sits and are vouched for by their platform. "
            "An editor has a person."
        ),
    ),
)
