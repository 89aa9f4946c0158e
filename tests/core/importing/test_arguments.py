"""Arguments: which of them hold a secret, who fills in their variables, and what is no array of texts."""

from __future__ import annotations

import pytest

from tests.core.importing.reading import CLAUDE_CODE, CLAUDE_DESKTOP, EXPOSED, MCPHUB, needed, read_server

BRIDGE = "mcp-remote only leads to a URL, which can be reached without it: `url` instead of `command`."


@pytest.mark.parametrize(
    ("args", "expected", "names"),
    [
        (["--api-key", "abc"], ["--api-key", "${NOTES_API_KEY}"], ["NOTES_API_KEY"]),
        (["--token=a=b"], ["--token=${NOTES_TOKEN}"], ["NOTES_TOKEN"]),
        (["--password", "two words"], ["--password", "${NOTES_PASSWORD}"], ["NOTES_PASSWORD"]),
        (["NOTES_KEY=abc"], ["NOTES_KEY=${NOTES_KEY}"], ["NOTES_KEY"]),
        (["--header", "X-Api-Key: abc"], ["--header", "X-Api-Key: ${NOTES_API_KEY}"], ["NOTES_API_KEY"]),
        (["-H", "Authorization: Bearer abc"], ["-H", "Authorization: Bearer ${NOTES_TOKEN}"], ["NOTES_TOKEN"]),
        (["--header=Authorization:Basic abc"], ["--header=Authorization:Basic ${NOTES_TOKEN}"], ["NOTES_TOKEN"]),
        (["--verbose", "ghp_abcdef1"], ["--verbose", "${NOTES_TOKEN}"], ["NOTES_TOKEN"]),
        (["redis://:s3cret@h/0"], ["redis://:${NOTES_PASSWORD}@h/0"], ["NOTES_PASSWORD"]),
        (["--config", '{"key":"abc"}'], ["--config", '{"key":"${NOTES_KEY}"}'], ["NOTES_KEY"]),
        (["--token", "${KEPT:-abc}"], ["--token", "${KEPT}"], ["KEPT"]),
        (["--url", "${U:-https://u:pw@h}"], ["--url", "${U}"], ["U"]),
    ],
)
def test_a_secret_becomes_a_reference_and_its_argument_is_told_of(
    args: list[str], expected: list[str], names: list[str]
) -> None:
    candidate = read_server({"command": "x", "args": args})
    assert (candidate.table["args"], needed(candidate)) == (expected, names)
    assert candidate.notes[-1] == EXPOSED
    assert candidate.faults == ()


@pytest.mark.parametrize(
    "args",
    [
        ["--token", "${TOKEN}"],
        ["--token=${TOKEN}"],
        ["--token", "--verbose"],
        ["--token-file", "/run/token"],
        ["--password-stdin", "image"],
        ["--header", "X-Team: blue"],
        ["--header", "Authorization: Bearer ${TOKEN}"],
        ["--sort-key=name"],
        ["-e", "API_KEY=${API_KEY}"],
    ],
)
def test_arguments_without_a_literal_secret_stay_as_they_are(args: list[str]) -> None:
    candidate = read_server({"command": "x", "args": args})
    assert (candidate.table["args"], candidate.secrets, candidate.notes) == (args, (), ())


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["run", "-e", "API_KEY=abc", "image"], ["run", "-e", "API_KEY", "image"]),
        (["run", "--env=API_KEY=abc", "image"], ["run", "--env=API_KEY", "image"]),
    ],
)
def test_a_container_takes_its_secret_from_the_variables_of_the_command(args: list[str], expected: list[str]) -> None:
    candidate = read_server({"command": "/usr/bin/docker", "args": [*args, "-e", "LOG=debug", "-e", "OTHER_KEY"]})
    assert candidate.table["args"] == [*expected, "-e", "LOG=debug", "-e", "OTHER_KEY"]
    assert candidate.table["env"] == {"API_KEY": "${API_KEY}"}
    assert (needed(candidate), candidate.notes) == (["API_KEY"], ())


def test_mcp_remote_fills_in_the_header_from_a_variable() -> None:
    args = ["-y", "mcp-remote@0.1", "https://x.test/mcp", "--header", "Authorization: Bearer abc"]
    candidate = read_server({"command": "npx", "args": args})
    assert candidate.table["args"] == [*args[:-1], "Authorization: Bearer $${NOTES_TOKEN}"]
    assert candidate.table["env"] == {"NOTES_TOKEN": "${NOTES_TOKEN}"}
    assert candidate.notes == (BRIDGE,)


@pytest.mark.parametrize(
    ("file", "command", "args", "expected"),
    [
        (CLAUDE_CODE, "mcp-remote", ["${TAG}", "${OTHER}"], ["$${TAG}", "${OTHER}"]),
        (CLAUDE_CODE, "x", ["${TAG}", "${OTHER}"], ["${TAG}", "${OTHER}"]),
        (CLAUDE_DESKTOP, "x", ["${TAG}", "${OTHER}"], ["$${TAG}", "${OTHER}"]),
        (CLAUDE_DESKTOP, "bash", ["-lc", "x ${TAG} ${OTHER}"], ["-lc", "x $${TAG} $${OTHER}"]),
        (MCPHUB, "x", ["${TAG}", "$OTHER"], ["blue", "${OTHER}"]),
    ],
)
def test_who_fills_in_a_variable_decides_how_it_is_written(
    file: str, command: str, args: list[str], expected: list[str]
) -> None:
    candidate = read_server({"command": command, "args": args, "env": {"TAG": "blue"}}, file)
    assert candidate.table["args"] == expected


def test_a_home_folder_is_that_of_whoever_starts_it() -> None:
    candidate = read_server({"command": "x", "args": ["~", "~/notes", "a~/b", "--dir=~/x"]})
    assert candidate.table["args"] == ["${HOME}", "${HOME}/notes", "a~/b", "--dir=~/x"]


def test_numbers_and_truth_values_become_texts() -> None:
    assert read_server({"command": "x", "args": ["-n", 3, 1.5, True]}).table["args"] == ["-n", "3", "1.5", "true"]


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ("--fast", "args must be an array of strings, not a string."),
        ({"a": 1}, "args must be an array of strings, not an object."),
        (["a", ["b"]], "args[1] must be a string, not an array."),
        (["a", None], "args[1] must be a string, not null."),
        (["\ud800"], "args[0] must be a string, not one with half a surrogate pair, which is no character."),
    ],
)
def test_what_is_no_array_of_texts_is_a_fault(args: object, fault: str) -> None:
    candidate = read_server({"command": "x", "args": args})
    assert (candidate.table, candidate.faults) == ({"command": "x"}, (f"/w/.mcp.json:1: {fault}",))
