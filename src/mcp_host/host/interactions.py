"""What servers ask people for, until somebody has answered: the answers given beforehand, a person, or nobody.

Every connection's requests come through `respond`. The policy: what was said beforehand for this call counts first;
else a person is asked, for as long as it takes; where nobody sits, the answer is no, at once, and the call says so.
Nothing is ever accepted by a default. Answers are handed to the server and kept nowhere. The editor is told of so many
questions of a server in a second; one that came and went before its turn it never hears of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import anyio

from mcp_host.core.interactions.given_answers import GivenAnswers, GivenRefusal, Unanswered
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import Answers, accepted_url, declined, dismissed, roots_answer
from mcp_host.host.call import Call, Responded
from mcp_host.host.events import Emit
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import NotAnswered

KEPT: Final = 50
"""Ended interactions whose buffers can still say what became of them."""

OPENINGS_A_SECOND: Final = 25
"""Questions of one server that the editor is told of, each when it opens and when it has ended: 50 events, as many as
there are for log messages. No person reads that fast, and an editor that is told of thousands draws nothing else."""

State = Literal["open", "answered", "declined", "cancelled", "withdrawn"]
"""`cancelled`: a person left it unanswered. `withdrawn`: the call ended first."""


@dataclass(kw_only=True)
class Interaction:
    """One thing that a server waits for."""

    id: str
    asked: Asked
    state: State = "open"
    decided: anyio.Event = field(default_factory=anyio.Event, repr=False)
    answers: Answers | None = field(default=None, repr=False)
    refusal: NotAnswered | None = field(default=None, repr=False)
    is_known: bool = False
    """The editor was told of it, or has looked: it must hear of its end."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is asked for, each kind once."""
        return kinds_of(self.asked)


class Interactions:
    """The open interactions of one editor. All methods run in the host's loop."""

    def __init__(
        self,
        *,
        emit: Emit,
        attended: bool,
        roots: Callable[[], tuple[str, ...]],
        find_call: Callable[[str | None], Call | None],
        questions_seen: int = 0,
        clock: Callable[[], float] = anyio.current_time,
    ) -> None:
        """`attended`: somebody sits there who can be asked. `roots`: the workspace's folders, as absolute paths.
        `questions_seen`: what an earlier host of this editor has numbered; no number stands for two questions."""
        self.roots = roots
        self.given_kinds: frozenset[str] = frozenset()
        """What is answered by what was said beforehand: it can be offered although nobody configured it."""
        self._emit = emit
        self._attended = attended
        self._find_call = find_call
        self._clock = clock
        self._known: dict[str, Interaction] = {}
        self._shares: dict[str, _Share] = {}
        """By alias: how much the editor may be told of its questions."""
        self._count = questions_seen

    async def respond(self, asked: Asked) -> Answers:
        """The raw answers to everything that is asked, by key.

        Raises:
            NotAnswered: Nobody could be asked, or a person refused what has no polite form of no.
        """
        call = self._find_call(asked.call)
        ours = self._answered_by_us(asked)
        given = call.answers.answer(asked) if call is not None and call.answers is not None else None
        if given is None and len(ours) == len(asked.requests):
            return ours
        if isinstance(given, GivenRefusal):
            _note(call, asked, "refused", by="answers")
            raise NotAnswered(_refused_by_person(asked, "The answers that were given beforehand decline it."))
        if given is not None and not isinstance(given, Unanswered):
            _note(call, asked, _action(given), by="answers")
            return {**ours, **given}
        if self._attended:
            return {**await self._asked_person(asked, call), **ours}
        problem = _nobody(asked, given)
        _note(call, asked, "decline", by="nobody", problem=problem)
        return {**_refused(asked, problem, declined), **ours}

    def expect(self, given: GivenAnswers | None) -> None:
        """Answers were given beforehand: connections that are opened from now on offer what they are about."""
        if given is not None:
            self.given_kinds |= given.kinds

    def url_completed(self, alias: str, elicitation: str) -> None:
        """This server, a legacy one, says that what was behind its URL is done: its open question about it is answered
        with yes, for only a person who went there can have done it. Ids are each server's own."""
        for interaction in self._known.values():
            asked = interaction.asked
            if (
                interaction.state == "open"
                and asked.alias == alias
                and all(one.kind == "url" and one.params.get("elicitationId") == elicitation for one in asked.requests)
            ):
                interaction.answers = {one.key: accepted_url() for one in asked.requests}
                self._decide(interaction, "answered")

    def all(self) -> tuple[Interaction, ...]:
        """Those that are known, the oldest first."""
        return tuple(_looked_at(one) for one in self._known.values())

    def find(self, interaction: str | None) -> Interaction:
        """The interaction; without an id the only open one.

        Raises:
            ProblemError: `interaction-unknown`: there is none, or several are open.
        """
        if interaction is not None:
            found = self._known.get(interaction)
            if found is None:
                raise ProblemError(_unknown(f"{interaction} was never asked in this editor, or is forgotten."))
            return _looked_at(found)
        waiting = [one for one in self._known.values() if one.state == "open"]
        if len(waiting) == 1:
            return _looked_at(waiting[0])
        if waiting:
            which = ", ".join(one.id for one in waiting)
            raise ProblemError(_unknown(f"They are: {which}.", title="Several questions are open: say which one"))
        raise ProblemError(_unknown("No server asks anything now.", title="No question is open"))

    def answer(self, interaction: Interaction, answers: Answers) -> None:
        """The server gets these answers, which fit what it asked.

        Raises:
            ProblemError: `interaction-closed`.
        """
        _require_open(interaction)
        interaction.answers = answers
        self._decide(interaction, "answered")

    def decline(self, interaction: Interaction) -> None:
        """The server is told no.

        Raises:
            ProblemError: `interaction-closed`.
        """
        self._refuse(interaction, "declined", declined)

    def dismiss(self, interaction: Interaction) -> None:
        """The server is told that nobody chose: the specification's "cancel".

        Raises:
            ProblemError: `interaction-closed`.
        """
        self._refuse(interaction, "cancelled", dismissed)

    def _refuse(
        self, interaction: Interaction, state: State, refusal: Callable[[InputRequest], Mapping[str, Any] | None]
    ) -> None:
        _require_open(interaction)
        try:
            interaction.answers = _refused(
                interaction.asked, _refused_by_person(interaction.asked, "You declined it."), refusal
            )
        except NotAnswered as error:
            interaction.refusal = error
        self._decide(interaction, state)

    def _answered_by_us(self, asked: Asked) -> dict[str, Mapping[str, Any]]:
        return {one.key: roots_answer(self.roots()) for one in asked.requests if one.kind == "roots"}

    async def _asked_person(self, asked: Asked, call: Call | None) -> Answers:
        self._count += 1
        interaction = Interaction(id=f"q{self._count}", asked=asked)
        self._known[interaction.id] = interaction
        self._forget_oldest()
        try:
            await self._told_and_decided(interaction)
            # What meets the end of the call is not sent any more, whatever was decided.
            await anyio.lowlevel.checkpoint_if_cancelled()
        except BaseException:
            interaction.answers = interaction.refusal = None
            self._decide(interaction, "withdrawn")
            raise
        answers, interaction.answers = interaction.answers, None
        if interaction.refusal is not None:
            _note(call, asked, "refused", by="person")
            raise interaction.refusal
        assert answers is not None, "an interaction is decided with answers or a refusal"
        _note(call, asked, _action(answers), by="person")
        return answers

    async def _told_and_decided(self, interaction: Interaction) -> None:
        share = self._shares.setdefault(interaction.asked.alias, _Share(clock=self._clock))
        while (seconds := share.take()) > 0:
            with anyio.move_on_after(seconds):
                await interaction.decided.wait()
            if interaction.decided.is_set():
                return
        interaction.is_known = True
        self._tell(interaction)
        await interaction.decided.wait()

    def _decide(self, interaction: Interaction, state: State) -> None:
        interaction.state = state
        interaction.decided.set()
        if interaction.is_known:
            self._tell(interaction)

    def _tell(self, interaction: Interaction) -> None:
        asked = interaction.asked
        data: dict[str, object] = {
            "interaction": interaction.id,
            "alias": asked.alias,
            "kinds": list(interaction.kinds),
            "state": interaction.state,
        }
        if asked.tool is not None:
            data["tool"] = asked.tool
        if asked.call is not None:
            data["call"] = asked.call
        self._emit("McpInteraction", data)

    def _forget_oldest(self) -> None:
        ended = [one.id for one in self._known.values() if one.state != "open"]
        for old in ended[: max(len(self._known) - KEPT, 0)]:
            del self._known[old]


@dataclass(kw_only=True)
class _Share:
    """How much the editor may be told of the questions of one server."""

    clock: Callable[[], float]
    _second: float = field(default=0.0, init=False)
    _told: int = field(default=0, init=False)

    def take(self) -> float:
        """0: one more may be told of now, and counts. Else in how many seconds it may."""
        now = self.clock()
        if now - self._second >= 1:
            self._second, self._told = now, 0
        if self._told >= OPENINGS_A_SECOND:
            return self._second + 1 - now
        self._told += 1
        return 0


def _looked_at(interaction: Interaction) -> Interaction:
    interaction.is_known = True
    return interaction


def kinds_of(asked: Asked) -> tuple[str, ...]:
    """What is asked for, each kind once."""
    return tuple(dict.fromkeys(one.kind or one.method for one in asked.requests))


def _refused(
    asked: Asked, problem: Problem, refusal: Callable[[InputRequest], Mapping[str, Any] | None]
) -> dict[str, Mapping[str, Any]]:
    answers: dict[str, Mapping[str, Any]] = {}
    for request in asked.requests:
        if request.kind == "roots":
            continue
        answer = refusal(request)
        if answer is None:  # a request for a completion can only be refused as a whole
            raise NotAnswered(problem)
        answers[request.key] = answer
    return answers


def _action(answers: Answers) -> Literal["accept", "decline", "cancel"]:
    """What was said in all: one no makes it a no."""
    said = {answer.get("action", "accept") for answer in answers.values()}
    return "decline" if "decline" in said else "cancel" if "cancel" in said else "accept"


def _note(
    call: Call | None,
    asked: Asked,
    action: Literal["accept", "decline", "cancel", "refused"],
    *,
    by: Literal["person", "answers", "nobody"],
    problem: Problem | None = None,
) -> None:
    if call is not None:
        responded = Responded(kinds=kinds_of(asked), message=_messages(asked), action=action, by=by, problem=problem)
        call.responded.append(responded)


def _messages(asked: Asked) -> str:
    said = (one.params.get("message") for one in asked.requests)
    return "\n".join(message for message in said if isinstance(message, str))


def _require_open(interaction: Interaction) -> None:
    if interaction.state == "open":
        return
    raise ProblemError(
        Problem(
            type="interaction-closed",
            title=f"{interaction.asked.alias} does not wait for an answer any more",
            detail=f"The question {interaction.id} was {interaction.state}. Nothing was sent.",
            hint=":McpInteractions shows what is still open.",
            alias=interaction.asked.alias,
            tool=interaction.asked.tool,
        )
    )


def _unknown(detail: str, *, title: str = "There is no such question") -> Problem:
    return Problem(
        type="interaction-unknown", title=title, detail=detail, hint=":McpInteractions lists what servers ask."
    )


def _nobody(asked: Asked, given: Unanswered | None) -> Problem:
    why = f"\n{given.why}" if given is not None else ""
    return Problem(
        type="input-required",
        title=f"{asked.alias} asked for something while {asked.doing}, and nobody is here to answer",
        detail=f"{_messages(asked) or ', '.join(kinds_of(asked))}{why}\nIt was told no.",
        hint="Give the answer beforehand with --answers FILE, or call it in an editor with a screen.",
        alias=asked.alias,
        tool=asked.tool,
    )


def _refused_by_person(asked: Asked, detail: str) -> Problem:
    return Problem(
        type="input-required",
        title=f"{asked.alias} was refused what it asked for while {asked.doing}",
        detail=f"{detail} It was told that there will be no answer.",
        hint="Call it again when you want to answer.",
        alias=asked.alias,
        tool=asked.tool,
    )
