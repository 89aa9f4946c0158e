"""The template: a definition to fill in, as TOML whose comments say what each field is for."""

from __future__ import annotations

from typing import Final

from mcp_host.core.definitions.models import is_alias
from mcp_host.views.exact import quoted
from mcp_host.views.view import Page, View

_FIELDS: Final = """\
# Either a program that is started here: one executable, its arguments apart.
command = ""
# args = ["mcp-server-time", "--local-timezone", "${TZ:-UTC}"]
# cwd = "${HOME}/work"
# env = { TOKEN = "${TIME_TOKEN}" }

# Or an address instead of command, args, cwd and env.
# url = "https://example.com/mcp"
# headers = { X-Team = "${TEAM}" }
# authorization = { type = "bearer", token = "${TEAM_TOKEN}" }

# The tools that there are (left out: all), and those that run without review.
# tools = ["get_current_time", "convert_time"]
# read = ["get_current_time"]

# summary = "Clock and time zones"
# autostart = true
# connect_timeout_seconds = 30
# request_timeout_seconds = 60"""
"""An empty command, so that nothing can be added that nobody filled in."""


def template_view(alias: str | None, file: str) -> View:
    """The `mcp://add` buffer: what is in comments is not written."""
    page = Page()
    page.line(f"# A new server for {file}.")
    page.line("# :write checks it and adds it, without the comments. :quit! drops it.")
    page.line('# A secret is named, never written: "${NAME}" is looked up when it connects.')
    page.line("# All fields: :help mcp-host-definitions")
    page.blank()
    name = alias if alias else "my-server"
    page.line(f"[servers.{name if is_alias(name) else quoted(name)}]")
    page.block(_FIELDS.split("\n"))
    # No filetype of ours, so that it is highlighted as what it is: all of this text is ours, but for the alias.
    return page.view(filetype="toml", title="new server")
