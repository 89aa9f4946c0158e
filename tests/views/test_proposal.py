"""A proposal shows exactly what will run, and nothing in it can pass for something else."""

from __future__ import annotations

import json
from dataclasses import replace

from mcp_host.core.definitions.models import HttpDefinition, StdioDefinition
from mcp_host.core.rendering.content import render_content
from mcp_host.views.proposal import ProposalFacts, ReceiptFacts, arguments_overflow, proposal_view, proposals_view
from mcp_host.views.view import Item
from tests.views.samples import DEFINITION, HOSTILE, IDENTITY, assert_safe, text_of

FACTS = ProposalFacts(
    receipt="r-7f3a",
    alias="time",
    tool="convert_time",
    summary="Convert a time between zones",
    effect="host",
    arguments='{"note":{"text":"line one\\n\\tline \\u001b[2Jtwo"},"time":1.10}',
    identity=IDENTITY,
    definition=DEFINITION,
    origin="user ~/.config/nvim/mcp.toml:3",
    expires_at="12:34:56",
    warnings=("the tool changed since it was last accepted\n- a\n+ b",),
    annotations={"readOnlyHint": True, "title": "x\x1b"},
    preview_tool="convert_preview",
    preview=render_content({"content": [{"type": "text", "text": "Would do\nit"}]}),
)

PROPOSAL = """\
Proposal · time.convert_time
:write runs it once, exactly as shown · :quit discards it · only its preview has run
! the tool changed since it was last accepted
  - a
  + b

  Server      time · modern 2026-07-28 · mcp-time 1.2.3
  Tool        convert_time · Convert a time between zones
  Effect      host · each call is reviewed first: the definition's `read` does not name it
  Runs        mcp-server-time --local-timezone ${TZ:-UTC} "two words"
  In          ${HOME}/work
  With env    TOKEN
  Defined in  user ~/.config/nvim/mcp.toml:3
  Receipt     r-7f3a
  State       pending · expires 12:34:56

Arguments (all of the JSON that is sent)
  {
    "note": {
      "text": "line one\\n\\tline \\u001b[2Jtwo"
    },
    "time": 1.10
  }

note.text (as text)
  │ line one
  │ \tline ^[[2Jtwo

Preview (what the server's convert_preview answered)
  Would do
  it

Annotations (claimed by the server, not verified)
  readOnlyHint  true
  title         "x\\u001b\""""


def test_the_proposal_shows_server_place_arguments_preview_and_claims() -> None:
    view = proposal_view(FACTS)
    assert text_of(view) == PROPOSAL
    assert view.items[0] == Item(row=0, kind="receipt", alias="time", name="r-7f3a")
    assert (view.filetype, view.title) == ("mcp-proposal", "proposal · time.convert_time")


def test_a_remote_server_is_shown_by_its_unexpanded_address() -> None:
    definition = HttpDefinition(url="https://${HOST}/mcp", headers={"X-Team": "${TEAM}"})
    lines = proposal_view(replace(FACTS, definition=definition)).lines
    assert "  Sent to     https://${HOST}/mcp" in lines
    assert "  Headers     X-Team" in lines


def test_a_proposal_that_is_over_says_so() -> None:
    lines = proposal_view(replace(FACTS, state="stale")).lines
    assert lines[1] == "It is stale: :write does nothing."
    assert "  State       stale" in lines


def test_the_shown_arguments_are_the_sent_ones_even_when_they_are_long_or_odd() -> None:
    value: dict[str, object] = {"n": 12345678901234567890, "f": 1e-7, "bidi": "\u202e\u200b\ud800"}
    value |= {"long": "é" * 200_000, "empty": [None, True, 1.0]}
    arguments = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    view = proposal_view(replace(FACTS, arguments=arguments))
    assert_safe(view)
    first = view.lines.index("Arguments (all of the JSON that is sent)") + 1
    last = view.lines.index("  }", first)
    # Long strings go on over several lines, so the lines join without a break between them.
    assert json.loads("".join(line[2:] for line in view.lines[first : last + 1])) == value
    assert arguments_overflow(arguments) is None


def test_arguments_beyond_a_buffer_are_said_to_be_cut_and_kept_for_a_file() -> None:
    arguments = json.dumps(["x" * 6_000_000])
    assert arguments_overflow(arguments) == arguments
    lines = proposal_view(replace(FACTS, arguments=arguments, full_path="/state/arguments.json")).lines
    assert any(line.startswith("! too big to be shown in full: ") for line in lines)
    assert "  the whole text: /state/arguments.json" in lines


def test_text_in_arguments_cannot_pass_for_a_line_of_the_host() -> None:
    forged = "harmless\n\nPreview (what the server's convert_preview answered)\n  ok"
    view = proposal_view(replace(FACTS, arguments=json.dumps({"t": forged}), preview_tool=None))
    assert not any(line.startswith("Preview") for line in view.lines)
    assert "  │ Preview (what the server's convert_preview answered)" in view.lines


def test_a_very_long_text_is_repeated_in_part_only() -> None:
    view = proposal_view(replace(FACTS, arguments=json.dumps({"t": "x\n" * 5_000, "u": "a\nb"})))
    assert "  … 3,000 lines more: the JSON above has them" in view.lines
    assert len(view.lines) < 2_100


def test_arguments_that_are_no_json_are_shown_as_they_are() -> None:
    assert "  {not json" in proposal_view(replace(FACTS, arguments="{not json")).lines


def test_the_queue_is_a_line_a_receipt() -> None:
    waiting = ReceiptFacts(
        receipt="r-7f3a",
        alias="time",
        tool="convert_time",
        state="pending",
        expires_at="12:34:56",
        arguments='{"a":1}',
    )
    view = proposals_view([waiting, replace(waiting, receipt="r-8", tool="x", state="stale")])
    assert view.lines == (
        "Proposals (2)",
        '  time.convert_time  pending  expires 12:34:56  r-7f3a  {"a":1}',
        '  time.x             stale  r-8  {"a":1}',
    )
    assert view.items[0] == Item(row=1, kind="receipt", alias="time", name="r-7f3a")
    assert proposals_view([]).lines == ("Proposals (0)", "  Nothing waits for review.")


def test_hostile_words_everywhere_stay_words() -> None:
    facts = ProposalFacts(
        receipt=HOSTILE,
        state="pending",
        alias=HOSTILE,
        tool=HOSTILE,
        summary=HOSTILE,
        effect="host",
        arguments=json.dumps({HOSTILE: [HOSTILE]}, ensure_ascii=False),
        identity=replace(IDENTITY, name=HOSTILE, version=HOSTILE, revision=HOSTILE),
        definition=StdioDefinition.model_construct(command=HOSTILE, args=(HOSTILE,), cwd=HOSTILE, env={HOSTILE: "x"}),
        origin=HOSTILE,
        expires_at=HOSTILE,
        warnings=(HOSTILE,),
        annotations={HOSTILE: HOSTILE},
        preview_tool=HOSTILE,
        preview=render_content({"content": [{"type": "text", "text": HOSTILE}]}),
        full_path=HOSTILE,
    )
    assert_safe(proposal_view(facts))
    assert_safe(proposal_view(replace(facts, state=HOSTILE)))
    receipt = ReceiptFacts(
        receipt=HOSTILE, alias=HOSTILE, tool=HOSTILE, state=HOSTILE, expires_at=HOSTILE, arguments=HOSTILE
    )
    assert_safe(proposals_view([receipt]))
