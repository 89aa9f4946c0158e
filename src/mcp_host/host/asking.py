"""The verbs about what servers ask: look at it, answer it, decline it, leave it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcp_host.core.interactions.answer_text import read_answer_text
from mcp_host.core.interactions.answers import read_answers
from mcp_host.core.interactions.concealed import Concealing
from mcp_host.core.interactions.requests import Asked
from mcp_host.host.answers import Answer
from mcp_host.host.interactions import Interaction, Interactions
from mcp_host.host.params import AnswerParams, InteractionParams
from mcp_host.host.redactions import Redactions
from mcp_host.views.interaction import (
    InteractionFacts,
    interaction_document,
    interaction_view,
    interactions_document,
    interactions_view,
)


@dataclass(kw_only=True)
class Asking:
    """Shows and decides interactions."""

    interactions: Interactions
    redactions: Redactions
    can_sample: bool
    """Somebody configured who answers a server's request for a completion."""

    async def all(self, _: object) -> Answer:
        """Everything that servers asked for and that is still known."""
        facts = [self._facts(one) for one in self.interactions.all()]
        return Answer(
            kind="interactions",
            document=interactions_document(facts),
            view=lambda: interactions_view(facts),
        )

    async def interaction(self, params: InteractionParams) -> Answer:
        """One of them, with the text to fill in.

        Raises:
            ProblemError: `interaction-unknown`.
        """
        return self._answer(self.interactions.find(params.interaction))

    async def answer(self, params: AnswerParams) -> Answer:
        """The server has the answer.

        Raises:
            ProblemError: `arguments-invalid`: it does not fit, and the server still waits; `interaction-unknown`;
                `interaction-closed`.
        """
        interaction = self.interactions.find(params.interaction)
        asked = interaction.asked
        concealing = Concealing(redact=lambda text: self.redactions.text(asked.alias, text))
        if params.text is not None:
            answers = read_answer_text(asked, params.text, concealing=concealing)
        else:
            answers = read_answers(asked, params.answers, concealing=concealing)
        self.interactions.answer(interaction, answers)
        return self._answer(interaction)

    async def decline(self, params: InteractionParams) -> Answer:
        """The server is told no.

        Raises:
            ProblemError: `interaction-unknown` or `interaction-closed`.
        """
        interaction = self.interactions.find(params.interaction)
        self.interactions.decline(interaction)
        return self._answer(interaction)

    async def dismiss(self, params: InteractionParams) -> Answer:
        """The server is told that nobody chose.

        Raises:
            ProblemError: `interaction-unknown` or `interaction-closed`.
        """
        interaction = self.interactions.find(params.interaction)
        self.interactions.dismiss(interaction)
        return self._answer(interaction)

    def _answer(self, interaction: Interaction) -> Answer:
        facts = self._facts(interaction)
        document = interaction_document(facts)
        return Answer(kind="interaction", document=document, view=lambda: interaction_view(facts))

    def _facts(self, interaction: Interaction) -> InteractionFacts:
        asked = interaction.asked
        return InteractionFacts(
            id=interaction.id,
            asked=self._shown(asked),
            roots=self.interactions.roots(),
            state=interaction.state,
            can_sample=self.can_sample,
        )

    def _shown(self, asked: Asked) -> Asked:
        """What is asked, as anybody may see it. The keys stay: the answer is read by them."""
        alias = asked.alias
        return replace(
            asked,
            requests=tuple(replace(one, params=self.redactions.value(alias, one.params)) for one in asked.requests),
            doing=self.redactions.text(alias, asked.doing),
            tool=None if asked.tool is None else self.redactions.text(alias, asked.tool),
        )
