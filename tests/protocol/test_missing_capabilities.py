"""What a server says that it needs, told by name and with the way to offer it."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from mcp_host.protocol.errors import problem_from, request_failed
from mcp_host.protocol.missing_capabilities import missing_capabilities
from mcp_host.protocol.wording import Attempt

ATTEMPT = Attempt(alias="git", doing="calling log", tool="log")
BY_SAMPLING = "name who answers it: setup{ sampling = … }"
BY_ROOTS = "allow it: setup{ roots = { modern = true } }"
DEFAULT_HINT = "Ask for something that the server can do without it."


def detail_of(required: Any) -> str:
    return missing_capabilities(ATTEMPT, "Error -32021: no", {"requiredCapabilities": required}).detail.split("\n")[1]


@pytest.mark.behaviour("errors.missing-capability-named")
@pytest.mark.parametrize(
    ("required", "named"),
    [
        ({"sampling": {}}, '"sampling"'),
        ({"sampling": {"tools": {}}}, '"sampling.tools"'),
        ({"elicitation": {"form": {}, "url": {}}}, '"elicitation.form", "elicitation.url"'),
        ({"extensions": {"io.modelcontextprotocol/tasks": {}}}, '"extensions.io.modelcontextprotocol/tasks"'),
        ({"roots": None, "odd": [1]}, '"roots", "odd"'),
    ],
)
def test_each_capability_is_named(required: Any, named: str) -> None:
    assert detail_of(required) == f"It asks for what this host does not offer on this connection: {named}."


def test_many_and_long_names_are_not_all_told() -> None:
    many = detail_of({f"c{number}": {} for number in range(1000)})
    assert many.endswith('"c7", ….')
    assert "xx" not in detail_of({"x" * 101: {}})


@pytest.mark.parametrize("data", [None, [], {}, {"requiredCapabilities": None}, {"requiredCapabilities": ["sampling"]}])
def test_a_server_that_does_not_say_which_is_quoted_alone(data: Any) -> None:
    problem = missing_capabilities(ATTEMPT, "Error -32021: no", data)
    assert (problem.detail, problem.hint) == (
        "Error -32021: no\nIt asks for what this host does not offer on this connection.",
        DEFAULT_HINT,
    )


@pytest.mark.parametrize(
    ("required", "hint"),
    [
        ({"sampling": {}}, f"To offer it, {BY_SAMPLING}."),
        ({"roots": {}, "sampling": {"context": {}, "tools": {}}}, f"To offer it, {BY_ROOTS}; and {BY_SAMPLING}."),
        ({"teleport": {}}, DEFAULT_HINT),
    ],
)
def test_the_hint_says_how_to_offer_it(required: Any, hint: str) -> None:
    assert missing_capabilities(ATTEMPT, "d", {"requiredCapabilities": required}).hint == hint


def test_the_servers_error_becomes_that_problem_and_its_data_stays_with_the_failure() -> None:
    data: Any = {"requiredCapabilities": {"roots": {}}}
    error = MCPError(code=-32021, message="I need roots", data=data)
    failure = request_failed(error, alias="git", doing="calling log", tool="log")
    assert failure.problem == missing_capabilities(ATTEMPT, "Error -32021: I need roots", data)
    assert (failure.code, failure.data, failure.answered) == (-32021, data, True)
    assert problem_from(error, alias="git", doing="calling log", tool="log") == failure.problem
