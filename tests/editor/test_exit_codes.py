"""Without a user interface: what each verb prints, and what it ends the editor with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import Headless

DEMO = f"""
[servers.demo]
command = "{sys.executable}"
args = ["-m", "mcp_host.demo"]
read = ["note_list", "note_read", "count_slowly", "fail"]
request_timeout_seconds = 30

[servers.hasty]
command = "{sys.executable}"
args = ["-m", "mcp_host.demo"]
read = ["count_slowly"]
request_timeout_seconds = 0.5

[servers.absent]
command = "no-such-program-anywhere"

[servers.off]
command = "{sys.executable}"
enabled = false

[servers.broken]
comand = "misspelt"
"""

Define = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _definitions(define: Define) -> None:
    define(DEMO)


def _one_document(text: str) -> dict[str, Any]:
    """The one JSON document that stands alone on the stream."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    return json.loads(lines[0])


def test_a_read_prints_its_result_and_ends_with_0(headless: Headless) -> None:
    finished = headless('McpExec demo note_read {"id": "note-1"}', "qa")
    assert (finished.exit_code, finished.stderr) == (0, "")
    document = _one_document(finished.stdout)
    assert document["structuredContent"]["id"] == "note-1"
    host = document["host"]
    assert (host["alias"], host["tool"], host["effect"], host["outcome"]) == ("demo", "note_read", "read", "succeeded")


def test_an_editor_that_nobody_told_to_quit_ends_with_0_after_its_last_command(headless: Headless) -> None:
    finished = headless("McpExec demo note_list")
    assert finished.exit_code == 0
    assert _one_document(finished.stdout)["host"]["outcome"] == "succeeded"


@pytest.mark.parametrize(
    ("command", "exit_code", "problem"),
    [
        ("McpExec demo", 2, "usage"),
        ("McpExec demo note_read {not json", 2, "arguments-invalid"),
        ("McpExec demo note_read {}", 2, "arguments-invalid"),
        ("McpExec broken anything", 2, "definition-invalid"),
        ("McpExec nobody anything", 3, "server-unknown"),
        ("McpExec demo no_such_tool", 3, "tool-unknown"),
        ("McpRead demo note://nowhere", 3, "resource-unknown"),
        ("McpPrompt demo no_such_prompt", 3, "prompt-unknown"),
        ("McpAccept no-such-receipt", 3, "receipt-unknown"),
        ("McpExec absent anything", 4, "server-unavailable"),
        ("McpEnable off", 4, "server-disabled"),
        ('McpExec demo note_add {"title": "a", "text": "b"}', 6, "review-required"),
        ('McpExec hasty count_slowly {"to": 5, "pause_seconds": 1}', 9, "request-timed-out"),
    ],
)
def test_a_problem_is_json_on_stderr_and_decides_the_exit_code(
    headless: Headless, command: str, exit_code: int, problem: str
) -> None:
    finished = headless(command, "qa")
    assert (finished.exit_code, finished.stdout) == (exit_code, "")
    document = _one_document(finished.stderr)
    assert document["type"] == problem
    assert {"title", "detail", "hint", "retryable", "causes"} <= document.keys()


def test_a_host_that_cannot_start_ends_with_1_and_shows_what_it_said(headless: Headless) -> None:
    finished = headless("let g:mcp_host_python = '/bin/false'", "McpList", "qa")
    assert (finished.exit_code, finished.stdout) == (1, "")
    assert _one_document(finished.stderr)["type"] == "host-failed"


def test_a_tool_that_answers_with_an_error_prints_it_and_ends_with_5(headless: Headless) -> None:
    finished = headless('McpExec demo fail {"message": "no paper"}', "qa")
    assert (finished.exit_code, finished.stderr) == (5, "")
    document = _one_document(finished.stdout)
    assert document["isError"] is True
    assert document["host"]["outcome"] == "failed"


def test_a_receipt_that_went_stale_ends_with_7(headless: Headless, define: Define) -> None:
    edited = define(DEMO).with_name("edited.toml")
    edited.write_text(DEMO.replace('read = ["note_list"', 'summary = "edited"\nread = ["note_list"', 1))
    file = edited.with_name("mcp.toml")
    finished = headless(
        'McpPreview demo note_add {"title": "a", "text": "b"}',
        f"call writefile(readfile('{edited}'), '{file}')",
        "McpAccept",
        "qa",
    )
    assert finished.exit_code == 7
    assert _one_document(finished.stdout)["receipt"]["state"] == "pending"
    assert _one_document(finished.stderr)["type"] == "receipt-stale"


def test_a_rejected_receipt_ends_with_7(headless: Headless) -> None:
    finished = headless('McpPreview demo note_add {"title": "a", "text": "b"}', "McpReject", "McpAccept", "qa")
    assert finished.exit_code == 7
    assert _one_document(finished.stderr)["type"] == "receipt-rejected"


def test_an_effect_accepted_unseen_runs_and_says_so_in_its_receipt(headless: Headless) -> None:
    finished = headless('McpExec! demo note_add {"title": "a", "text": "b"}', "qa")
    assert finished.exit_code == 0
    host = _one_document(finished.stdout)["host"]
    assert (host["effect"], host["outcome"], host["replayed"], host["reviewed"]) == ("host", "succeeded", False, False)
    assert host["receipt"]


def test_a_second_accept_replays_the_recorded_result(headless: Headless) -> None:
    finished = headless(
        'McpPreview demo note_add {"title": "a", "text": "b"}', "McpAccept", "McpAccept", "McpExec demo note_list", "qa"
    )
    assert finished.exit_code == 0
    proposal, first, second, notes = (json.loads(line) for line in finished.stdout.splitlines())
    assert first["host"]["receipt"] == second["host"]["receipt"] == proposal["receipt"]["id"]
    assert (first["host"]["replayed"], second["host"]["replayed"]) == (False, True)
    assert first["structuredContent"] == second["structuredContent"]
    assert [note["title"] for note in notes["structuredContent"]["notes"]].count("a") == 1


def test_every_listing_verb_prints_its_document(headless: Headless) -> None:
    finished = headless("McpTools demo", "McpList", "McpProposals", "McpDisable demo", "qa")
    assert finished.exit_code == 0, finished.stderr
    tools, servers, proposals, disabled = (json.loads(line) for line in finished.stdout.splitlines())
    names = [row["name"] for row in tools["tools"]]
    assert "note_delete_execute" in names
    demo = next(row for row in servers["servers"] if row["alias"] == "demo")
    assert (demo["status"], demo["era"], demo["revision"]) == ("ready", "modern", "2026-07-28")
    assert [problem["type"] for problem in servers["problems"]] == ["definition-invalid"]
    assert proposals == {"receipts": []}
    assert disabled["server"]["status"] == "off"


def test_a_resource_and_a_prompt_are_printed_as_the_server_sent_them(headless: Headless) -> None:
    finished = headless("McpRead demo note://note-1", 'McpPrompt demo summarize_note {"id": "note-1"}', "qa")
    assert finished.exit_code == 0, finished.stderr
    resource, prompt = (json.loads(line) for line in finished.stdout.splitlines())
    assert resource["contents"][0]["uri"] == "note://note-1"
    assert prompt["messages"][0]["role"] == "user"
