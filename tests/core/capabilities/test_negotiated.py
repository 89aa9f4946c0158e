"""What both sides have is told apart from what only one of them has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mcp_host.core.capabilities.advertising import advertisement
from mcp_host.core.capabilities.negotiated import Negotiated, negotiate_capabilities
from mcp_host.core.catalog.catalog import Era
from mcp_host.core.offers import Offer


def ids(result: Negotiated) -> tuple[list[str], list[str], list[str], list[str]]:
    """Shared, usable, unused and unknown, each by name."""
    return (
        [row.id for row in result.shared],
        [row.id for row in result.usable],
        [row.id for row in result.unused],
        list(result.unknown),
    )


def negotiated(
    era: Era, declared: Mapping[str, Any], offer: Offer | None = None
) -> tuple[list[str], list[str], list[str], list[str]]:
    return ids(negotiate_capabilities(era, declared=declared, told=advertisement(era, offer or Offer())))


def test_what_the_server_declares_and_this_host_does_is_shared() -> None:
    declared: dict[str, Any] = {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": False},
        "prompts": {},
    }
    shared, usable, unused, unknown = negotiated("modern", declared)
    assert shared == ["tools", "tools-list-changed", "resources", "resource-subscriptions", "prompts"]
    assert usable == ["elicitation-form", "elicitation-url"]
    assert (unused, unknown) == ([], [])


def test_what_the_server_was_told_may_be_used_in_its_era() -> None:
    assert negotiated("legacy", {})[1] == ["elicitation-form", "elicitation-url", "roots", "roots-list-changed"]
    nothing = Offer(elicitation=False, legacy_roots=False, tasks=False)
    assert negotiated("legacy", {}, nothing) == ([], [], [], [])


@pytest.mark.behaviour("capabilities.extension-of-one-side")
def test_an_extension_is_shared_only_where_both_sides_say_it() -> None:
    declared: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    assert negotiated("modern", declared)[0] == ["tasks"]
    assert negotiated("modern", declared, Offer(tasks=False))[0::2] == ([], ["tasks"])
    assert negotiated("modern", {})[0] == []


@pytest.mark.behaviour("capabilities.extension-of-one-side")
def test_what_this_host_does_not_do_is_unused_and_what_nobody_knows_keeps_its_spelling() -> None:
    declared: dict[str, Any] = {
        "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}, "com.example/x\x1b": {}},
        "experimental": {"anything": {}},
        "teleport": {},
    }
    assert negotiated("modern", declared)[2:] == (["apps"], ["teleport", "com.example/x\x1b"])


def test_the_tasks_of_one_era_are_not_those_of_the_other() -> None:
    assert negotiated("legacy", {"tasks": {"list": {}}})[2:] == (["tasks-2025-11-25"], [])
    assert negotiated("modern", {"tasks": {"list": {}}})[2:] == ([], ["tasks"])
    assert negotiated("legacy", {"extensions": {"io.modelcontextprotocol/tasks": {}}})[3] == [
        "io.modelcontextprotocol/tasks"
    ]


@pytest.mark.parametrize("odd", [None, False, True, 7, "yes", [], {"listChanged": "yes"}, {"listChanged": {}}])
def test_no_form_of_a_declaration_makes_it_raise(odd: object) -> None:
    shared = negotiated("modern", {"tools": odd, "extensions": odd, "experimental": odd})[0]
    assert shared == ([] if odd in (None, False) else ["tools"])
