"""The text of a form in an editor: what somebody fills in is sent or refused, whatever else they type around it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.editor.asking import (
    be_asked,
    begin_anew,
    editor_that_is_asked,
    wait_for_answer,
    wait_for_message,
    wait_for_question,
    winbar,
)
from tests.editor.looking import definition, go_to, wait_for_filled
from tests.editor.neovim import REPOSITORY
from tests.editor.talking import Editor

KEYS = ("plain", "a=b", "c = d", "e.f", "[g]", 'h"i', "j\\k", "l #m")

ODD_KEYS = f"""
import sys
sys.path.insert(0, {str(REPOSITORY / "tests" / "servers")!r})
import asks
from wire import serve
schema = {{"type": "object", "properties": {{key: {{"type": "string"}} for key in {KEYS!r}}}}}
asks.QUESTIONS["keys"] = ("elicitation/create", {{"message": "Odd names.", "requestedSchema": schema}})
tools = [{{"name": "keys", "description": "Ask for them", "inputSchema": {{"type": "object"}}}}]
serve(asks.HANDLERS, tools=tools, call=asks.call, initialize={{"capabilities": {{"tools": {{}}}}}})
"""

TEXT: list[tuple[str, tuple[str, str, bool] | None]] = [
    # Lines, and the field that they are: key, head, whether it stands behind a `#`.
    ("# words = no field", None),
    ("##more = words", None),
    ('#absent = ""', ("absent", "", True)),
    ('#"a = b" = ""', ('"a = b"', "", True)),
    ('live = "x" # [no head]', ("live", "", False)),
    (" indented='[no head]'", ("indented", "", False)),
    (r'"quoted = \" key" = 1', (r'"quoted = \" key"', "", False)),
    ('dotted . "in = it" = 2', ('dotted . "in = it"', "", False)),
    ('text = """\n[no head]\n#absent = "no field"\n\\"""\n""""" # ends', ("text", "", False)),
    (r'raw = """ \""" still """', ("raw", "", False)),
    ("literal = '''\nliteral' = no\n\\'''", ("literal", "", False)),
    ('list = [\n  [1, "]"], # ]\n  { a = "}" },\n]', ("list", "", False)),
    ('"empty"=""', ('"empty"', "", False)),
    ("#after=0", ("after", "", True)),
    ("no field", None),
    ("[head]", None),
    ('#absent = ""', ("absent", "head", True)),
    (r"single = '\'", ("single", "head", False)),
    ("'l = ' = 3", ("'l = '", "head", False)),
    ('[ "he = ad" ] # words', None),
    ('last = [ """\n[no head]\n"""]', ("last", '"he = ad"', False)),
    ('#end = ""', ("end", '"he = ad"', True)),
    ('open = """', ("open", '"he = ad"', False)),
]


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    odd = definition("odd", "-c", ODD_KEYS, read=("keys",))
    with editor_that_is_asked(tmp_path_factory.mktemp("homes"), odd) as editor:
        yield editor


@pytest.fixture
def editor(_shared: Editor) -> Editor:
    """The editor of this module, as if it had just been started."""
    begin_anew(_shared)
    return _shared


def type_at(editor: Editor, pattern: str, keys: str, *, line: str) -> None:
    """Type on the first line that matches, until there is such a line."""
    go_to(editor, pattern)
    editor.press(f"{keys}<Esc>")
    editor.wait_until("vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), ...)", line)


def fill_in_required(editor: Editor) -> None:
    """What `book` cannot be answered without, below its name."""
    type_at(editor, "^#email", 'ci"a@b.test', line='email = "a@b.test"')
    type_at(editor, "^#meal", 'ci"veg', line='meal = "veg"')


def test_fields_are_found_where_toml_has_them(editor: Editor) -> None:
    expected: list[list[object]] = []
    row = 1
    for lines, field in TEXT:
        count = len(lines.split("\n"))
        if field is not None:
            key, head, is_absent = field
            expected.append([key, head, row, row + count - 1, is_absent])
        row += count
    found = editor.lua(
        """return vim.tbl_map(function(field)
          return { field.key, (field.id:match('^(.*)\\n')), field.row, field.last, field.is_absent }
        end, require('mcp_host.answer_lines').fields(...))""",
        "\n".join(lines for lines, _ in TEXT).split("\n"),
    )
    assert found == expected


@pytest.mark.behaviour("editor.form-reviewed")
def test_every_field_that_is_filled_in_is_sent_whatever_its_name(editor: Editor) -> None:
    editor.command("McpExec odd keys")
    buf = wait_for_filled(editor, f"mcp://interaction/{wait_for_question(editor)}")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    rows = [row for row, line in enumerate(editor.lines(), start=1) if line.endswith(' = ""')]
    assert len(rows) == len(KEYS)
    for row in rows:
        editor.press(f"{row}G$iVALUE<Esc>")
        editor.wait_until("vim.fn.getline(...):find('^[^#].*VALUE\"$') ~= nil", row)
    editor.command("write")
    assert wait_for_answer(editor) == {"result": {"action": "accept", "content": dict.fromkeys(KEYS, "VALUE")}}


def test_a_value_of_several_lines_hides_no_field_below_it(editor: Editor) -> None:
    be_asked(editor, "book")
    type_at(editor, "^#name", 'cc#name = """<CR>[TODO]<CR>#email = 1<CR>Ada"""', line='name = """')
    # Begun and not ended yet, it has all that is below it; that is not taken for put back.
    type_at(editor, "^#extras", "A<BS>", line="extras = [")
    type_at(editor, "^#note", 'ci"by the door', line='#note = "by the door"')
    type_at(editor, "^extras", "A]", line="extras = []")
    editor.wait_until("vim.fn.search('^note = \"by the door\"$', 'nw') > 0")
    go_to(editor, "^Ada")
    fill_in_required(editor)
    editor.command("write")
    content = wait_for_answer(editor)["result"]["content"]
    assert (content["name"], content["note"]) == ("[TODO]\n#email = 1\nAda", "by the door")


def test_what_would_be_left_out_unseen_is_refused(editor: Editor) -> None:
    buf, _ = be_asked(editor, "book")
    type_at(editor, "^#name", 'ci"Ada', line='name = "Ada"')
    fill_in_required(editor)
    type_at(editor, "^#note", "O[mine]", line="[mine]")
    type_at(editor, "^#note", 'ci"by the door', line='#note = "by the door"')
    row = editor.lua("return vim.fn.line('.')")
    editor.press("gg:wq<CR>")
    wait_for_message(editor, f'line {row} would not be sent: take its # away, or write "# ".')
    assert (editor.lua("return vim.fn.line('.')"), "QUESTION" in winbar(editor, buf)) == (row, True)
    # A blank makes it a remark, which is nobody's field.
    editor.command("s/#/# /")
    editor.command("write")
    editor.wait_until("#vim.diagnostic.get(0) == 1")
    go_to(editor, "^# note")
    editor.command("s/# /#/")
    go_to(editor, "mine")
    editor.press("dd")
    editor.wait_until("vim.fn.search('^note = \"by the door\"$', 'nw') > 0")
    editor.command("write")
    assert wait_for_answer(editor)["result"]["content"]["note"] == "by the door"


def test_no_option_of_the_editor_breaks_a_value_into_lines(editor: Editor) -> None:
    note = "a word and another, up to the end of it, beyond what the window has room for at its right side"
    editor.command("set textwidth=20 wrapmargin=8 formatoptions+=tca")
    be_asked(editor, "book")
    type_at(editor, "^#note", f'ci"{note}', line=f'note = "{note}"')
    editor.press("o# words<CR>luggage = 2<Esc>")
    editor.wait_until("vim.fn.getline('.') == 'luggage = 2'")
    assert editor.lua("return { vim.bo.textwidth, vim.bo.wrapmargin, vim.go.textwidth }") == [0, 0, 20]
    editor.command("set textwidth& wrapmargin& formatoptions&")
