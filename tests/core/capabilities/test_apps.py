"""Servers that come with an app: what they offer is there as without it, and nothing of the app is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcp_host.core.catalog.entries import Tool, parse_resource, parse_tool
from mcp_host.core.catalog.signatures import signature
from mcp_host.core.outcomes import judge_result
from mcp_host.core.rendering.content import render_content

PLAIN: dict[str, Any] = {
    "name": "chart",
    "description": "Draws a chart.",
    "inputSchema": {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]},
}
UI: dict[str, Any] = {
    "ui": {"resourceUri": "ui://chart/main.html", "visibility": ["app"], "csp": {"connectDomains": ["x.example"]}},
    "ui/resourceUri": "ui://chart/main.html",
}
RESULT: dict[str, Any] = {"content": [{"type": "text", "text": "Sales: 1, 2, 3"}], "structuredContent": {"sales": [1]}}
HTML = "<html><script>alert(1)</script></html>"


@pytest.mark.behaviour("capabilities.ui-ignored")
@pytest.mark.parametrize("meta", [UI, {"ui": None}, {"ui": "ui://chart"}, {"ui": [UI]}, {"ui": {"resourceUri": 7}}])
def test_a_tool_with_an_app_is_the_tool_without_it(meta: dict[str, Any]) -> None:
    tool = parse_tool({**PLAIN, "_meta": meta})
    assert replace(tool, raw=PLAIN) == parse_tool(PLAIN)
    assert signature(tool.input_schema) == signature(PLAIN["inputSchema"])


@pytest.mark.behaviour("capabilities.ui-ignored")
def test_a_result_for_an_app_is_shown_as_the_text_that_it_has() -> None:
    tool: Tool = parse_tool({**PLAIN, "_meta": UI})
    outcome = judge_result({**RESULT, "_meta": UI}, tool, alias="charts")
    assert (outcome.kind, outcome.problem, outcome.faults) == ("succeeded", None, ())
    assert render_content({**RESULT, "_meta": UI}) == render_content(RESULT)


@pytest.mark.behaviour("capabilities.ui-ignored")
def test_the_html_of_an_app_is_text_to_read() -> None:
    app = {"uri": "ui://chart/main.html", "name": "main", "mimeType": "text/html;profile=mcp-app", "_meta": UI}
    assert parse_resource(app).uri == "ui://chart/main.html"
    parts = render_content({"contents": [{**app, "text": HTML}]})
    assert [(part.kind, part.lines) for part in parts] == [("text", (HTML,))]
