"""Without a screen: a question is declined at once and said, or answered from the file that `--answers` names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.asking import ASKS
from tests.editor.conftest import Headless


@pytest.mark.behaviour("editor.nobody-there")
def test_a_question_to_nobody_is_declined_and_its_problem_stands_beside_the_document(
    headless: Headless, define: Callable[[str], Path]
) -> None:
    define(ASKS)
    finished = headless("McpExec asks wipe")
    document = json.loads(finished.stdout)
    assert json.loads(document["content"][0]["text"]) == {"result": {"action": "decline"}}
    (asked,) = document["host"]["interactions"]
    assert (asked["action"], asked["by"]) == ("decline", "nobody")
    assert json.loads(finished.stderr) == asked["problem"]
    assert asked["problem"]["type"] == "input-required"
    assert "--answers" in asked["problem"]["hint"]


def test_answers_come_from_a_file_that_is_named_in_front_of_the_words_or_between_them(
    headless: Headless, define: Callable[[str], Path], workspace: Path
) -> None:
    define(ASKS)
    entries = [
        {"tool": "wipe", "content": {"really": True}},
        {"kind": "url", "message": "Sign in", "action": "accept"},
    ]
    (workspace / "my answers.json").write_text(json.dumps({"answers": entries}))
    finished = headless(
        'McpExec --answers "my answers.json" asks wipe', 'McpExec asks --answers "my answers.json" sign_in {}'
    )
    assert (finished.exit_code, finished.stderr) == (0, "")
    told = [json.loads(json.loads(line)["content"][0]["text"])["result"] for line in finished.stdout.splitlines()]
    assert told == [{"action": "accept", "content": {"really": True}}, {"action": "accept"}]
    finished = headless("McpExec --answers nowhere.json asks wipe")
    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "nowhere.json cannot be read" in json.loads(finished.stderr)["title"]
