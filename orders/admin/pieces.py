"""The workshop's pieces in Django's admin: to look up. Staff move them on the board."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from orders.admin.base import order_link
from orders.models import PiecePhoto, WorkPiece
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights


class PhotoInline(StaffRights, admin.TabularInline[PiecePhoto, WorkPiece]):
    view_action = StaffAction.SEE_ORDERS
    model = PiecePhoto
    fields = readonly_fields = ("taken_at", "author", "sent_at", "message", "width", "height")


@admin.register(WorkPiece)
class WorkPieceAdmin(StaffAdmin[WorkPiece]):
    view_action = StaffAction.SEE_ORDERS
    staff_list = "staff-board"
    inlines = (PhotoInline,)
    list_display = ("id", "order_link", "item", "number", "stage", "is_cancelled", "moved_at", "moved_by")
    list_filter = ("stage", "is_cancelled")
    list_select_related = ("item__order", "moved_by")
    search_fields = ("item__order__reference", "item__product_name", "item__french_name")

    @admin.display(description=_("commande"))
    def order_link(self, piece: WorkPiece) -> str:
        """The order's reference, leading to its row."""
        return order_link(piece.item.order)
