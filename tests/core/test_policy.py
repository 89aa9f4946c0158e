"""What runs without review."""

from __future__ import annotations

from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.core.policy import Classification, classify, effect_of

_DEFINITION = StdioDefinition(command="server", read=("now",))


def test_only_a_tool_that_the_definition_lists_under_read_is_a_read() -> None:
    assert classify("now", _DEFINITION) == Classification(effect="read", why="the definition lists it under read")
    assert classify("Now", _DEFINITION) == Classification(
        effect="host", why="the definition does not list it under read"
    )


def test_without_a_list_everything_is_reviewed() -> None:
    assert effect_of("now", StdioDefinition(command="server")) == "host"
