"""The console script, as a person in a shell meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_host.cli.main import main


def _run(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_a_sound_file_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mcp.toml"
    file.write_text('[servers.time]\ncommand = "mcp-server-time"\n')
    assert _run("check", str(file)) == 0
    assert capsys.readouterr().out == "1 server is fine, 0 problems.\n"


def test_a_faulty_definition_is_named_with_its_line_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mcp.toml"
    file.write_text('[servers.time]\ncomand = "mcp-server-time"\n')
    assert _run("check", str(file)) == 2
    printed = capsys.readouterr().out
    assert f"{file}:2" in printed
    assert "`command`" in printed


def test_a_file_that_cannot_be_read_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("check", str(tmp_path / "none.toml")) == 2
    assert "No such file" in capsys.readouterr().err
