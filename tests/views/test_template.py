"""The template is TOML that says what to fill in, and that cannot be added as it is."""

from __future__ import annotations

import re
from typing import cast

import pytest
import tomli

from mcp_host.core.definitions.faults import FaultyDefinition
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.views.template import template_view
from tests.views.samples import HOSTILE, assert_safe, text_of


def _server(text: str, alias: str = "time") -> dict[str, object]:
    return cast("dict[str, dict[str, dict[str, object]]]", tomli.loads(text))["servers"][alias]


def test_the_template_says_where_it_goes_and_what_the_keys_do() -> None:
    view = template_view("time", "~/.config/nvim/mcp.toml")
    assert view.lines[:8] == (
        "# A new server for ~/.config/nvim/mcp.toml.",
        "# :write checks it and adds it, without the comments. :quit! drops it.",
        '# A secret is named, never written: "${NAME}" is looked up when it connects.',
        "# All fields: :help mcp-host-definitions",
        "",
        "[servers.time]",
        "# Either a program that is started here: one executable, its arguments apart.",
        'command = ""',
    )
    assert (view.filetype, view.title) == ("toml", "new server")


def test_a_template_that_nobody_filled_in_is_refused() -> None:
    with pytest.raises(FaultyDefinition):
        parse_definition(_server(text_of(template_view("time", "f"))))


def test_every_field_of_it_is_one_that_can_be_written() -> None:
    text = re.sub(r"(?m)^# (?=[a-z_]+ = )", "", text_of(template_view("time", "f")))
    table = _server(text)
    is_http = ("url", "headers", "authorization")
    http = {name: value for name, value in table.items() if name not in ("command", "args", "cwd", "env")}
    stdio = {name: value for name, value in table.items() if name not in is_http} | {"command": "uvx"}
    assert len(table) == 13
    assert parse_definition(http).transport == "http"
    assert parse_definition(stdio).transport == "stdio"


@pytest.mark.parametrize("alias", ["Bad name", 'x"]\n[servers.y', "\u200b"])
def test_an_alias_of_any_spelling_stays_one_key(alias: str) -> None:
    assert _server(text_of(template_view(alias, "f")), alias) == {"command": ""}


def test_without_an_alias_there_is_one_to_replace() -> None:
    assert "[servers.my-server]" in template_view(None, "f").lines


def test_hostile_words_everywhere_stay_words() -> None:
    assert_safe(template_view(HOSTILE, HOSTILE))
