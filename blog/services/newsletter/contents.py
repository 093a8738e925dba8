"""What the mails of a letter show: its texts as they were when it began, pieces and prices as they are."""

from __future__ import annotations

from django.utils.translation import gettext as _

from blog.mails.letters import make_blocks
from blog.models import Campaign
from shop.core.content_version import content_changed
from shop.core.problems import Problem


def write_contents(campaign: Campaign) -> None:
    """Write what a letter shows at this moment, for a caller that has locked it and begins or goes on sending it.

    Raises `Problem` 400 `empty_letter` where a text shows nothing: what it cites is not, or no longer, on sale or
    published. Nothing changes then. The pictures that it showed before stay in the row, as mails that left show them.
    """
    texts = list(campaign.texts.all())
    made = {text.pk: make_blocks(text.body, text.language) for text in texts}
    if empty := [text.get_language_display() for text in texts if not made[text.pk]]:
        refusal = _(
            "Cette lettre serait vide (%(languages)s)\u00a0: les pièces ou articles qu'elle montre ne sont pas en "
            "ligne."
        )
        raise Problem("empty_letter", refusal % {"languages": ", ".join(empty)})
    for text in texts:
        blocks = made[text.pk]
        shown = {block.get("image") for block in blocks}
        former = dict.fromkeys(block.get("image") for block in text.blocks or ())
        blocks += [{"kind": "former", "image": image} for image in former if image and image not in shown]
        if blocks != text.blocks:
            text.blocks = blocks
            text.save(update_fields=["blocks"])
            if campaign.cursor:
                # Everybody may read it in the archive.
                content_changed()
