"""Problems lead on: to the log that exists, to the command that helps, to the line of the definition."""

from __future__ import annotations

from mcp_host.problems import Problem
from mcp_host.protocol.wording import Attempt, not_reachable, redirected, turned_away

ATTEMPT = Attempt(alias="git", doing="calling log", tool="log")


def test_a_server_that_is_gone_leads_to_its_log_and_to_the_command_that_tries_again() -> None:
    assert not_reachable(ATTEMPT, "The connection was closed.") == Problem(
        type="server-unavailable",
        title="git is not reachable (while calling log)",
        detail="The connection was closed.",
        hint="If it is a process, what it wrote is in mcp_host/servers/git.log in stdpath('log'); "
        ":McpEnable git tries again.",
        alias="git",
        tool="log",
        retryable=True,
    )


def test_a_status_is_an_answer_and_no_server_that_is_not_reachable() -> None:
    told = turned_away(ATTEMPT, 413, "HTTP 413", may_pass=False)
    assert (told.title, told.retryable) == ("git answered HTTP 413 (while calling log)", False)
    assert turned_away(ATTEMPT, 503, "HTTP 503", may_pass=True).retryable


def test_a_redirect_leads_to_the_url_of_the_definition() -> None:
    told = redirected(ATTEMPT, "Redirect to http://a.example/ not followed")
    assert (told.title, told.retryable) == ("git answered with a redirect (while calling log)", False)
    assert "url in its definition" in told.hint
