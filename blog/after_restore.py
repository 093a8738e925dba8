"""After a backup was brought back: no letter goes out a second time by itself."""

from blog.models import Campaign, CampaignState
from shop.core.restored import Restored, after_restore


@after_restore("newsletter")
def hold_letters(restored: Restored) -> None:
    """What was being sent pauses; what was planned for the time since is a draft again."""
    sending = Campaign.objects.filter(state=CampaignState.SENDING).update(
        state=CampaignState.PAUSED, lease_until=None
    )
    planned = Campaign.objects.filter(state=CampaignState.SCHEDULED, scheduled_at__lte=restored.now).update(
        state=CampaignState.DRAFT, scheduled_at=None
    )
    if sending or planned:
        restored.notes.append(
            f"Letters of the newsletter: {sending} paused, {planned} drafts again. They were perhaps sent."
        )
