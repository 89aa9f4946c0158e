"""What a project's file says about a server, as values."""

from __future__ import annotations

from mcp_host.views.trust_facts import Leaf, Said, TrustServer, leaves, said_fields


def test_what_the_file_says_comes_before_what_it_leaves_standing() -> None:
    server = TrustServer(
        alias="a",
        target="stdio",
        fields=(("command", '"x"'), ("args", '["a", 1]')),
        inherited=(("env", '{ A = "b" }', "user f:1"), ("command", '"y"', "user f:2")),
    )
    assert said_fields(server) == {
        "command": Said(value="x"),
        "args": Said(value=["a", 1]),
        "env": Said(value={"A": "b"}, place="user f:1"),
    }


def test_what_is_not_one_toml_value_is_its_own_text() -> None:
    for text in ("", "x", '"a"\nb = 1', "[" * 5_000, '"a" "b"'):
        server = TrustServer(alias="a", target="stdio", fields=(("command", text),))
        assert said_fields(server) == {"command": Said(value=text)}


def test_the_leaves_of_a_value_are_all_its_single_values_and_empty_containers() -> None:
    value: dict[str, object] = {"a": [1, {"b": []}], "c": {}}
    assert [*leaves(value, ("x",))] == [
        Leaf(path=("x", "a", 0), value=1),
        Leaf(path=("x", "a", 1, "b"), value=[]),
        Leaf(path=("x", "c"), value={}),
    ]
    assert [*leaves("t", ())] == [Leaf(path=(), value="t")]
