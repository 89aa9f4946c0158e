"""Placeholders of other clients: which reference each becomes, and what is told."""

from __future__ import annotations

import re

import pytest

from mcp_host.core.definitions.references import has_malformed_reference
from mcp_host.core.importing.interpolation import PLACEHOLDER_LIMIT, Dialect, Translation, escaped

PLAIN = Dialect()
HANDS_ON = Dialect(expands_plain=False)
ANYWHERE = Dialect(bare="anywhere")
HUB = Dialect(bare="whole", reads_own_env=True)


def translated(text: str, dialect: Dialect = PLAIN, **more: bool) -> tuple[str, list[str]]:
    notes: list[str] = []
    translation = Translation(
        client="Client",
        dialect=dialect,
        folder="/srv/a${b",
        ask=lambda kind, body: f"<{kind} {body}>",
        note=notes.append,
        own_env={"OWN": "mine", "SECRET": "${KEPT}"},
        is_left=lambda name: more.get("leaves", False) and name == "OWN",
    )
    return translation.of(text), notes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain $ text } {", "plain $ text } {"),
        ("${NAME}/x", "${NAME}/x"),
        ("${NAME:-x y}", "${NAME:-x y}"),
        ("${NAME:-}", "${NAME:-}"),
        ("${env:NAME}", "${NAME}"),
        ("${env:NAME:-x}", "${NAME:-x}"),
        ("${userHome}/x", "${HOME}/x"),
        ("a${pathSeparator}b${/}c", "a/b/c"),
        ("${workspaceFolder}/x", "/srv/a$${b/x"),
        ("${workspaceFolder:api}/x", "/srv/a$${b/x"),
        ("${CLAUDE_PROJECT_DIR:-.}", "/srv/a$${b"),
        ("${workspaceFolderBasename}", "a$${b"),
        ("${input:api-key}", "<input api-key>"),
        ("${command:ext.ask}", "<command ext.ask>"),
        ("${config:a.b}", "<command a.b>"),
        ("${cmd: op read ${VAULT}/x}", "<command op read ${VAULT}/x>"),
        ("${", "$${"),
        ("${}", "$${}"),
        ("${a.b}", "$${a.b}"),
        ("${NAME", "$${NAME"),
        ("${1+${NAME}}", "$${1+${NAME}}"),
        ("$${1}", "$$${1}"),
        ("${env:Program Files(x86)}", "$${env:Program Files(x86)}"),
        ("$NAME and ${NAME}", "$NAME and ${NAME}"),
        ("${" + "x" * PLACEHOLDER_LIMIT + "}", "$${" + "x" * PLACEHOLDER_LIMIT + "}"),
    ],
)
def test_a_placeholder_becomes_a_reference_and_other_text_is_escaped(text: str, expected: str) -> None:
    found = translated(text)[0]
    assert found == expected
    assert not has_malformed_reference(re.sub("<.*>", "", found))


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        (ANYWHERE, "$HOME/x-$TAG.$1$", "${HOME}/x-${TAG}.$1$"),
        (HUB, "$TOKEN", "${TOKEN}"),
        (HUB, "$TOKEN/x", "$TOKEN/x"),
        (HUB, "--a=${OWN} ${SECRET} ${OTHER}", "--a=mine ${KEPT} ${OTHER}"),
        (PLAIN, "${OWN}", "${OWN}"),
    ],
)
def test_each_client_has_its_own_variables(dialect: Dialect, text: str, expected: str) -> None:
    assert translated(text, dialect) == (expected, [])


def test_a_client_that_hands_on_is_told_of_for_plain_variables_only() -> None:
    note = "Client hands `${NAME}` on as it stands; here it is the variable of the environment."
    assert translated("${NAME}", HANDS_ON) == ("${NAME}", [note])
    assert translated("${env:NAME}", HANDS_ON) == ("${NAME}", [])


def test_a_variable_that_the_server_fills_in_reaches_it() -> None:
    note = "`${OWN}` is left to the server itself, which fills it in from its env."
    assert translated("${OWN} ${NAME} ${env:OWN}", leaves=True) == ("$${OWN} ${NAME} ${OWN}", [note])


def test_a_fallback_that_is_no_plain_text_is_left_out() -> None:
    note = "The fallback of `${A}` refers to another variable, which no fallback can here."
    assert translated("${A:-${B}}") == ("${A}", [note])


def test_the_folder_is_told() -> None:
    note = "`${workspaceFolder}` became /srv/a${b: the definition is about this folder."
    assert translated("${workspaceFolder}")[1] == [note]


def test_escaped_text_refers_to_nothing() -> None:
    assert escaped("a ${b} $c") == "a $${b} $c"
