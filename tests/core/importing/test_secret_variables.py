"""The variables that secrets are kept in: good names, one for a value, and none for two."""

from __future__ import annotations

import pytest

from mcp_host.core.importing.secret_variables import SecretVariables, named_after, variable_name


def test_a_secret_gets_the_wanted_name_or_one_with_its_alias() -> None:
    variables = SecretVariables(["TAKEN"])
    assert variables.name_for("first value", "API_KEY", alias="brave") == "API_KEY"
    assert variables.name_for("second value", "API_KEY", alias="weather") == "WEATHER_API_KEY"
    assert variables.name_for("third value", "API_KEY", alias="weather") == "WEATHER_API_KEY_2"
    assert variables.name_for("fourth value", "TAKEN", alias="notes") == "NOTES_TAKEN"


def test_the_same_long_value_is_the_same_secret_and_a_short_one_is_not() -> None:
    variables = SecretVariables()
    assert variables.name_for("long enough", "A_TOKEN", alias="a") == "A_TOKEN"
    assert variables.name_for("long enough", "B_TOKEN", alias="b") == "A_TOKEN"
    assert variables.name_for("admin", "A_PASSWORD", alias="a") == "A_PASSWORD"
    assert variables.name_for("admin", "B_PASSWORD", alias="b") == "B_PASSWORD"
    assert variables.name_for("admin", "B_PASSWORD", alias="c") == "B_PASSWORD"


def test_a_known_secret_is_hidden_wherever_it_stands() -> None:
    variables = SecretVariables()
    variables.name_for("0123456789ab", "LONG", alias="a")
    variables.name_for("12345678", "SHORT", alias="a")
    assert variables.hidden("0123456789ab") == "${LONG}"
    assert variables.hidden("12345678") == "${SHORT}"
    assert variables.hidden("x0123456789abx12345678", ["LONG", "SHORT", "OTHER"]) == "x${LONG}x12345678"
    assert variables.hidden("nothing of it", ["LONG"]) == "nothing of it"


def test_no_value_is_in_what_is_printed_of_them() -> None:
    variables = SecretVariables()
    variables.name_for("0123456789ab", "LONG", alias="a")
    assert "0123456789ab" not in repr(variables)


@pytest.mark.parametrize(
    ("alias", "key", "name"),
    [
        ("brave", "--api-key", "BRAVE_API_KEY"),
        ("brave", "apiKey", "BRAVE_API_KEY"),
        ("brave-search", "--brave-api-key", "BRAVE_API_KEY"),
        ("search", "X-Goog-Api-Key", "SEARCH_GOOG_API_KEY"),
        ("mcp-1password", "token", "MCP_1PASSWORD_TOKEN"),
        ("a", "--", "A__"),
    ],
)
def test_a_name_says_whose_it_is_once(alias: str, key: str, name: str) -> None:
    assert named_after(alias, key) == name


def test_a_key_that_can_be_a_variable_is_one() -> None:
    assert [variable_name(key) for key in ("API_KEY", "apiKey", "api-key", "9p")] == [
        "API_KEY",
        "apiKey",
        "API_KEY",
        "_9P",
    ]
