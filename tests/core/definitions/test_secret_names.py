"""Which keys are taken for the names of secrets, and which values under them are no literals."""

from __future__ import annotations

import pytest

from mcp_host.core.definitions.secret_names import holds_no_literal, names_a_secret, variable_for


@pytest.mark.parametrize(
    "key",
    [
        *("API_TOKEN", "apiKey", "API_KEY", "API_KEY_PROD", "X-Api-Key", "APIKey"),
        *("OPENAI_APIKEY", "KEY", "SSH_KEY", "PGPASSWORD", "DB_PASS", "MYSQL_PWD"),
        *("SECRET", "AWS_SECRET_ACCESS_KEY", "client_secret", "GITHUB_PAT", "GITHUB_TOKEN_2", "token2"),
        *("Cookie", "Proxy-Authorization", "JWT", "PRIVATE_KEY", "KEY_PASSPHRASE", "NPM_CREDENTIALS"),
        *("X-Auth-Token", "authtoken"),
    ],
)
def test_a_key_that_names_a_secret_is_recognised(key: str) -> None:
    assert names_a_secret(key)


@pytest.mark.parametrize(
    "key",
    [
        *("SSH_KEY_PATH", "MONKEY", "KEYBOARD", "TURKEY", "HOTKEY", "PATH"),
        *("PWD", "OLDPWD", "COMPASS", "AUTHOR", "MAX_TOKENS", "TOKEN_LIMIT"),
        *("TOKEN_URL", "TOKENIZERS_PARALLELISM", "AWS_ACCESS_KEY_ID", "SSH_AUTH_SOCK", "PASSWORD_FILE", "PUBLIC_KEY"),
        *("SORT_KEY", "REQUIRE_PASSWORD", "GOOGLE_APPLICATION_CREDENTIALS", "LOG_LEVEL", "X-Team", "Accept"),
        *("__", "42"),
    ],
)
def test_a_key_that_only_sounds_like_one_is_not(key: str) -> None:
    assert not names_a_secret(key)


@pytest.mark.parametrize("value", ["", "${A}", "${A:-}", "Bearer ${A}", "basic  ${A}", "Token ${A}"])
def test_a_reference_is_no_literal_even_after_a_scheme(value: str) -> None:
    assert holds_no_literal(value)


@pytest.mark.parametrize(
    "value", ["abc", "${A:-abc}", "Bearer abc", "Bearer", "Bearer ${A:-abc}", "abc ${A}", "${A}x", "$${A}", " ${A}"]
)
def test_anything_else_is_a_literal(value: str) -> None:
    assert not holds_no_literal(value)


def test_a_variable_is_suggested_after_the_key() -> None:
    assert [variable_for(key) for key in ("X-Api-Key", "token", "2fa secret")] == ["X_API_KEY", "TOKEN", "_2FA_SECRET"]
