"""The matrix can be read at 80 columns, and what a server declares stays text."""

from __future__ import annotations

import json
from typing import Any

from mcp_host.core.capabilities.advertising import advertisement
from mcp_host.core.capabilities.capability import BOTH, MODERN, Capability, Deferred, Excluded, Partial, Supported
from mcp_host.core.capabilities.matrix import MATRIX
from mcp_host.core.offers import Offer
from mcp_host.core.rendering.text import display_width
from mcp_host.views.capabilities import COLUMNS, ServerCapabilityFacts, capabilities_document, capabilities_view
from mcp_host.views.view import Item
from tests.views.samples import HOSTILE, assert_safe, text_of

ROWS = (
    Capability(
        id="tools",
        title="Tools",
        eras=BOTH,
        spec="https://x.example/tools",
        server_says={"tools": {}},
        standing=Supported(evidence=("tests/test_x.py::test_x",)),
    ),
    Capability(
        id="elicitation-form",
        title="Forms",
        eras=BOTH,
        spec="https://x.example/forms",
        client_says={"elicitation": {"form": {}}},
        is_interactive=True,
        standing=Supported(
            evidence=(), told={"modern": "elicitation", "legacy": "elicitation"}, note="You see who asks."
        ),
    ),
    Capability(
        id="tasks",
        title="Tasks",
        eras=MODERN,
        authority="extension",
        spec="https://x.example/tasks",
        client_says={"extensions": {"io.modelcontextprotocol/tasks": {}}},
        server_says={"extensions": {"io.modelcontextprotocol/tasks": {}}},
        standing=Partial(evidence=(), told={"modern": "tasks"}, note="Not kept."),
    ),
    Capability(
        id="apps",
        title="Apps",
        eras=BOTH,
        authority="extension",
        spec="https://x.example/apps",
        client_says={"extensions": {"io.modelcontextprotocol/ui": {}}},
        server_says={"extensions": {"io.modelcontextprotocol/ui": {}}},
        standing=Excluded(note="A terminal shows no HTML. " * 4),
    ),
    Capability(
        id="dpop",
        title="DPoP",
        eras=BOTH,
        authority="candidate",
        spec="https://x.example/dpop",
        standing=Deferred(note="Still a proposal."),
    ),
)

DECLARED: dict[str, Any] = {
    "tools": {"listChanged": False},
    "resources": {"subscribe": True, "listChanged": True},
    "extensions": {"io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/ui": {"mimeTypes": []}},
}

DEMO = ServerCapabilityFacts(
    alias="demo",
    status="ready",
    era="modern",
    revision="2026-07-28",
    declared=DECLARED,
    told=advertisement("modern", Offer(tasks=False), matrix=ROWS),
)

OFF = ServerCapabilityFacts(alias="idle", status="off")


def test_a_server_comes_first_and_the_rows_follow_by_what_is_done_about_them() -> None:
    view = capabilities_view(ROWS, [DEMO, OFF])
    assert text_of(view) == (
        "Capabilities · 2 supported · 1 in part · 1 not in this version · 1 left out\n"
        "\n"
        "demo · ready · modern 2026-07-28\n"
        "  it declares   tools · resources.subscribe · resources.listChanged ·\n"
        "                extensions.io.modelcontextprotocol/tasks ·\n"
        "                extensions.io.modelcontextprotocol/ui\n"
        "  it was told   elicitation.form\n"
        "  both have     tools\n"
        "  it may use    elicitation-form\n"
        "  not used      tasks (not offered) · apps (excluded)\n"
        "  unknown       resources\n"
        "\n"
        "idle · off\n"
        "  It is not connected, so nothing is negotiated.\n"
        "\n"
        "Supported (2)\n"
        "  capability                eras    told\n"
        "  tools                     both    never        Tools\n"
        "  elicitation-form          both    conditional  Forms\n"
        "      May wait for you. You see who asks.\n"
        "\n"
        "In part (1)\n"
        "  capability                eras    told\n"
        "  tasks                     modern  conditional  Tasks\n"
        "      Not kept.\n"
        "\n"
        "Not in this version (1)\n"
        "  capability                eras    told\n"
        "  dpop                      both    never        DPoP\n"
        "      Still a proposal.\n"
        "\n"
        "Left out (1)\n"
        "  capability                eras    told\n"
        "  apps                      both    never        Apps\n"
        "      A terminal shows no HTML. A terminal shows no HTML. A terminal shows no\n"
        "      HTML. A terminal shows no HTML."
    )
    assert (view.filetype, view.title) == ("mcp-capabilities", "capabilities")
    assert view.items == (
        Item(row=2, kind="server", alias="demo", name="demo"),
        Item(row=12, kind="server", alias="idle", name="idle"),
    )
    assert_safe(view)


def test_of_one_server_the_title_says_which() -> None:
    assert capabilities_view(ROWS, [DEMO]).title == "demo · capabilities"


def test_the_whole_matrix_fits_into_eighty_columns() -> None:
    view = capabilities_view(MATRIX, [DEMO])
    assert [line for line in view.lines if display_width(line) > COLUMNS] == []
    assert_safe(view)


def test_the_document_has_every_row_and_both_sides_words() -> None:
    document = capabilities_document(ROWS[:2], [DEMO, OFF])
    assert document == {
        "capabilities": [
            {
                "id": "tools",
                "title": "Tools",
                "eras": ["modern", "legacy"],
                "authority": "core",
                "spec": "https://x.example/tools",
                "disposition": "supported",
                "advertised": "never",
                "interactive": False,
                "note": "",
            },
            {
                "id": "elicitation-form",
                "title": "Forms",
                "eras": ["modern", "legacy"],
                "authority": "core",
                "spec": "https://x.example/forms",
                "disposition": "supported",
                "advertised": "conditional",
                "interactive": True,
                "note": "You see who asks.",
            },
        ],
        "servers": [
            {
                "alias": "demo",
                "status": "ready",
                "era": "modern",
                "revision": "2026-07-28",
                "serverCapabilities": DECLARED,
                "clientCapabilities": {"elicitation": {"form": {}}},
                "shared": ["tools"],
                "usable": ["elicitation-form"],
                "unused": [],
                "unknown": ["resources", "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/ui"],
            },
            {"alias": "idle", "status": "off", "era": None},
        ],
    }


def test_what_a_server_declares_can_do_nothing_and_takes_no_more_than_its_place() -> None:
    names = {f"{HOSTILE}{number}": {HOSTILE: HOSTILE, "x" * 10_000: True} for number in range(1_000)}
    hostile = ServerCapabilityFacts(
        alias="odd", status=HOSTILE, era="legacy", revision=HOSTILE, declared={**names, "extensions": names}
    )
    view = capabilities_view(ROWS, [hostile])
    assert_safe(view)
    assert len(view.lines) < 150
    assert all(len(line) < 400 for line in view.lines)
    json.dumps(capabilities_document(ROWS, [hostile]), ensure_ascii=False).encode()
