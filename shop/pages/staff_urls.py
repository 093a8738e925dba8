"""Addresses of the pages in the staff area, below `/admin/`."""

from django.urls import path

from shop.pages.staff import audit, messages, settings, texts, users

urlpatterns = [
    path("messages", messages.message_list, name="staff-messages"),
    path("messages/<int:contact_id>", messages.message, name="staff-message"),
    path("messages/<int:contact_id>/marquer", messages.mark, name="staff-message-mark"),
    path("messages/<int:contact_id>/supprimer", messages.delete, name="staff-message-delete"),
    path("messages/images/<int:pk>", messages.picture, name="staff-message-picture"),
    path("utilisateurs", users.user_list, name="staff-users"),
    path("utilisateurs/<int:user_id>", users.user_detail, name="staff-user"),
    path("utilisateurs/<int:user_id>/role", users.change_role, name="staff-user-role"),
    path("utilisateurs/<int:user_id>/acces", users.block, name="staff-user-block"),
    path("reglages", settings.settings_index, name="staff-settings"),
    *(pattern for part in settings.SETTINGS for pattern in part.urls()),
    path("textes", texts.texts_index, name="staff-texts"),
    *(pattern for screen in texts.SCREENS for pattern in screen.urls()),
    path("journal", audit.audit_trail, name="staff-audit"),
]
