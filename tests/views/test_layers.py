"""Layers as documents, and how a place is called."""

from __future__ import annotations

from mcp_host.problems import Problem
from mcp_host.views.layers import LayerFacts, layer_document, spoken_place


def test_a_layer_is_the_documented_document() -> None:
    problem = Problem(type="definition-unparsable", title="t", detail="d", hint="h")
    assert layer_document(
        LayerFacts(layer="user", file="/c/mcp.toml\ud800", state="unparsable", problems=(problem,))
    ) == {
        "layer": "user",
        "file": "/c/mcp.toml\ufffd",
        "state": "unparsable",
        "servers": 0,
        "problems": [
            {
                "type": "definition-unparsable",
                "title": "t",
                "detail": "d",
                "hint": "h",
                "retryable": False,
                "causes": [],
            }
        ],
    }


def test_a_place_is_a_layer_with_its_file_and_line_or_what_has_neither() -> None:
    assert spoken_place("user", "mcp.toml", 3) == "user mcp.toml:3"
    assert spoken_place("project", "mcp.toml", None) == "project mcp.toml"
    assert spoken_place("environment", "the environment", None) == "the environment"
    assert spoken_place("session", "this session", None) == "this session"
