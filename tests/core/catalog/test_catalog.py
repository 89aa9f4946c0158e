"""The catalog: one bad entry never costs the list, and a name means one tool."""

from __future__ import annotations

import random

import pytest

from mcp_host.core.catalog.catalog import (
    Catalog,
    Dropped,
    Listed,
    ServerIdentity,
    build_catalog,
    catalog_fingerprint,
    enabled_tools,
    fingerprint,
    missing_tools,
)
from mcp_host.core.catalog.entries import parse_tool

IDENTITY = ServerIdentity(era="modern", revision="2026-07-28")


def tool(name: object, **more: object) -> dict[str, object]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def catalog_of(*tools: object, **lists: tuple[object, ...]) -> Catalog:
    return build_catalog("s", 1, IDENTITY, Listed(tools=tools, **lists))


def test_malformed_entries_are_dropped_by_name_and_the_rest_stays() -> None:
    catalog = catalog_of(
        tool("good"),
        {"description": "nameless", "inputSchema": {}},
        {"name": "bare"},
        None,
        tool("also"),
        prompts=({"name": "p"}, 3),
        resources=({"uri": "x://1"}, {"name": "no uri"}),
        templates=({"uriTemplate": "x://{a}"}, []),
    )
    assert [one.name for one in catalog.tools] == ["good", "also"]
    assert [one.uri for one in catalog.resources] == ["x://1"]
    assert [one.uri_template for one in catalog.templates] == ["x://{a}"]
    assert [one.name for one in catalog.prompts] == ["p"]
    assert [(one.kind, one.label) for one in catalog.dropped] == [
        ("tool", "#2"),
        ("tool", "bare"),
        ("tool", "#4"),
        ("resource", "#2"),
        ("template", "#2"),
        ("prompt", "#2"),
    ]


def test_of_two_tools_with_one_name_the_first_is_used_and_the_other_reported() -> None:
    catalog = catalog_of(tool("x", description="first"), tool("x", description="second"), tool("y"), tool("y"))
    found = catalog.tool("x")
    assert found is not None
    assert found.description == "first"
    assert [one.name for one in catalog.tools] == ["x", "y"]
    assert catalog.dropped == (
        Dropped(kind="tool", label="x", reason="is listed twice with different definitions; the first one is used"),
        Dropped(kind="tool", label="y", reason="is listed twice, the same both times"),
    )


def test_a_catalog_put_together_by_hand_also_finds_the_first_of_two() -> None:
    first, second = parse_tool(tool("x", description="1")), parse_tool(tool("x", description="2"))
    catalog = Catalog(alias="s", generation=1, identity=IDENTITY, tools=(first, second))
    assert catalog.tool("x") is first
    assert catalog.tool("z") is None


def test_prompts_are_found_by_name() -> None:
    catalog = catalog_of(prompts=({"name": "p"},))
    assert catalog.prompt("p") is catalog.prompts[0]
    assert catalog.prompt("q") is None


def test_a_definition_lets_through_the_tools_it_names_in_the_servers_order() -> None:
    catalog = catalog_of(tool("a"), tool("b"), tool("c"))
    assert [one.name for one in enabled_tools(catalog, ("c", "a", "gone"))] == ["a", "c"]
    assert enabled_tools(catalog, None) == catalog.tools
    assert enabled_tools(catalog, ()) == ()
    assert missing_tools(catalog, ("c", "gone")) == ("gone",)
    assert missing_tools(catalog, None) == ()


def test_a_fingerprint_changes_with_any_part_of_the_definition_and_not_with_key_order() -> None:
    base = parse_tool({"name": "t", "inputSchema": {"type": "object"}, "_meta": {"a": 1}})
    shuffled = parse_tool({"_meta": {"a": 1}, "inputSchema": {"type": "object"}, "name": "t"})
    assert fingerprint(base) == fingerprint(shuffled)
    changed: list[dict[str, object]] = [
        {"description": "now told"},
        {"_meta": {"a": 2}},
        {"annotations": {"readOnlyHint": True}},
        {"inputSchema": {"type": "object", "properties": {}}},
    ]
    prints = {fingerprint(parse_tool({**base.raw, **change})) for change in changed}
    assert len(prints | {fingerprint(base)}) == len(changed) + 1


def test_a_lone_surrogate_does_not_stop_a_fingerprint() -> None:
    assert fingerprint(parse_tool(tool("t", description="\ud800"))) != fingerprint(parse_tool(tool("t")))


def test_the_catalogs_fingerprint_ignores_order_and_generation_only() -> None:
    lists = Listed(tools=(tool("a"), tool("b")), prompts=({"name": "p"},))
    shuffled = Listed(tools=(tool("b"), tool("a")), prompts=({"name": "p"},))
    base = catalog_fingerprint(build_catalog("s", 1, IDENTITY, lists))
    assert catalog_fingerprint(build_catalog("s", 2, IDENTITY, shuffled)) == base
    assert catalog_fingerprint(catalog_of(tool("a"), tool("b"))) != base
    assert catalog_fingerprint(catalog_of(tool("a"), tool("b"), 3, prompts=({"name": "p"},))) != base


def test_moving_an_entry_from_one_list_to_another_changes_the_fingerprint() -> None:
    both = {"uri": "x://1", "uriTemplate": "x://1"}
    assert catalog_fingerprint(catalog_of(resources=(both,))) != catalog_fingerprint(catalog_of(templates=(both,)))


@pytest.mark.parametrize("seed", range(20))
def test_random_entries_never_cost_the_good_ones(seed: int) -> None:
    rng = random.Random(seed)
    listed: list[object] = []
    for position in range(100):
        entry = tool(f"good_{position}")
        for _ in range(rng.randint(0, 3)):
            key = rng.choice(["name", "inputSchema", "title", "description", "annotations", "outputSchema"])
            entry[key] = rng.choice([None, 1, "", "x", [], {}, [None], {"type": 3}, {"required": 1}, True, "\ud800"])
        listed.append(entry)
    listed.append(tool("last"))
    catalog = catalog_of(*listed)
    assert catalog.tool("last") is not None
    assert len(catalog.tools) + len(catalog.dropped) == len(listed)
