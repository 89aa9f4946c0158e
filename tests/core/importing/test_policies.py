"""Tools, times to wait, switches, and what another client runs without asking."""

from __future__ import annotations

import pytest

from tests.core.importing.reading import CLAUDE_CODE, GEMINI, MCPHUB, VS_CODE, ZED, read_codex, read_server

HELPER = (
    "`headersHelper` is a command that makes headers, and is not run here: give an authorization or headers with "
    "references, which setup{ resolve } can feed."
)
APPROVAL = "what runs without review is decided here, by `read`."


@pytest.mark.parametrize(
    ("entry", "tools"),
    [
        ({"includeTools": ["a", "b(x)", "a"]}, ["a", "b"]),
        ({"includeTools": ["a", "b"], "excludeTools": ["b"]}, ["a"]),
        ({"excludeTools": ["a"], "includeTools": ["a"]}, []),
        ({"includeTools": []}, []),
        ({"includeTools": ["*"]}, None),
    ],
)
def test_the_tools_that_are_on_are_written(entry: dict[str, object], tools: list[str] | None) -> None:
    candidate = read_server({"command": "x", **entry}, GEMINI)
    assert (candidate.table.get("tools"), candidate.notes, candidate.faults) == (tools, (), ())


def test_tools_that_are_off_are_told_where_the_others_are_not_known() -> None:
    candidate = read_server({"command": "x", "disabled_tools": [f"t{n}" for n in range(22)]}, MCPHUB)
    assert "tools" not in candidate.table
    (note,) = candidate.notes
    assert note.startswith("mcphub.nvim turns off `t0`, `t1`,")
    assert "`t19` and 2 more. Here one writes the tools that are on" in note


@pytest.mark.parametrize("value", [True, ["read_note"], {"read_note": True}])
@pytest.mark.parametrize("key", ["alwaysAllow", "autoApprove", "trust"])
def test_what_runs_unasked_elsewhere_is_not_taken_over(key: str, value: object) -> None:
    candidate = read_server({"command": "x", key: value})
    assert candidate.table == {"command": "x"}
    assert candidate.notes == (
        f"`{key}` lets tools run without being asked in Claude Code. It was left out: {APPROVAL}",
    )


@pytest.mark.parametrize("value", [False, [], {}, None])
def test_what_asks_anyway_is_no_note(value: object) -> None:
    assert read_server({"command": "x", "autoApprove": value, "trust": value}).notes == ()


@pytest.mark.parametrize(
    ("file", "timeout", "written"),
    [(CLAUDE_CODE, 1500, 1.5), (GEMINI, 30_000, 30), (ZED, 90, 90), (ZED, 0.5, 0.5)],
)
def test_a_time_to_wait_is_in_seconds(file: str, timeout: float, written: float) -> None:
    candidate = read_server({"command": "x", "timeout": timeout}, file)
    assert candidate.table == {"command": "x", "request_timeout_seconds": written}
    assert candidate.faults == ()


@pytest.mark.parametrize(
    ("timeout", "fault"),
    [
        ("30s", "timeout must be a number, not a string."),
        (True, "timeout must be a number, not true or false."),
        (10**400, "timeout must be a number of reasonable size."),
        (float("nan"), "timeout must be a number of reasonable size."),
        (0, "request_timeout_seconds must be more than 0. Write a number of seconds above 0."),
    ],
)
def test_what_is_no_time_is_a_fault(timeout: object, fault: str) -> None:
    assert read_server({"command": "x", "timeout": timeout}).faults == (f"/w/.mcp.json:1: {fault}",)


def test_codex_has_two_ways_to_say_how_long_a_start_may_take() -> None:
    candidate = read_codex(
        'command = "x"\nstartup_timeout_sec = 5\nstartup_timeout_ms = 9000\ntool_timeout_sec = 2.5\n'
    )
    assert candidate.table == {"command": "x", "connect_timeout_seconds": 5, "request_timeout_seconds": 2.5}


@pytest.mark.parametrize(
    ("entry", "enabled"),
    [
        ({"disabled": True}, False),
        ({"disabled": False}, None),
        ({"enabled": False}, False),
        ({"enabled": True}, None),
    ],
)
def test_a_server_that_is_off_stays_off(entry: dict[str, bool], enabled: bool | None) -> None:
    assert read_server({"command": "x", **entry}).table.get("enabled") is enabled


def test_a_switch_of_a_wrong_type_is_a_fault() -> None:
    assert read_server({"command": "x", "disabled": "no"}).faults == (
        "/w/.mcp.json:1: disabled must be true or false, not a string.",
    )


def test_a_description_becomes_the_summary_on_one_line() -> None:
    candidate = read_server({"command": "x", "description": " Notes\n  of ours "}, MCPHUB)
    assert candidate.table["summary"] == "Notes of ours"


def test_a_description_with_a_secret_is_left_out() -> None:
    candidate = read_server({"command": "x", "description": "uses ghp_abcdef1"}, MCPHUB)
    assert candidate.table == {"command": "x"}
    assert candidate.notes == ("`description` was left out: something in it looks like a secret.",)


def test_what_has_no_counterpart_is_told_by_its_name_alone() -> None:
    entry = {"command": "x", "headersHelper": "/bin/h", "envFile": ".env", "odd": "a value", "_comment": "mine"}
    assert read_server(entry).notes == (
        "`envFile` is not read here: put the variables that the server needs from it into env, as references.",
        HELPER,
        "`odd` has no counterpart here, and was left out.",
    )
    assert read_server({"command": "x", "sandboxEnabled": True, "gallery": True}, VS_CODE).notes == (
        "VS Code starts the server in a sandbox. Here it runs without one.",
    )
