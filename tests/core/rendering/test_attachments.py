"""Base64 is read leniently and files get a harmless suffix."""

from __future__ import annotations

import pytest

from mcp_host.core.rendering.attachments import decoded_base64, file_suffix


@pytest.mark.parametrize(
    "text", ["+/8AAQ==", "-_8AAQ==", "-_8AAQ", " +/8A\r\n AQ==\n", "data:image/png;base64,+/8AAQ==", "+/8AAQ"]
)
def test_every_habit_of_writing_base64_is_read(text: str) -> None:
    assert decoded_base64(text) == b"\xfb\xff\x00\x01"


@pytest.mark.parametrize("text", ["?", "ab*c", "a", "é", "\ud800"])
def test_what_is_not_base64_is_no_bytes(text: str) -> None:
    assert decoded_base64(text) is None


def test_no_data_is_no_bytes_long() -> None:
    assert decoded_base64("") == b""


def test_a_suffix_comes_from_our_list_and_never_from_the_server() -> None:
    assert file_suffix("image/PNG; x=1") == ".png"
    assert file_suffix("../../x/sh") == ".bin"
    assert file_suffix(None) == ".bin"
