"""Addresses of the pages in the staff area, below `/admin/`."""

from django.urls import path

from shop.pages.staff import messages

urlpatterns = [
    path("messages", messages.message_list, name="staff-messages"),
    path("messages/<int:contact_id>", messages.message, name="staff-message"),
    path("messages/<int:contact_id>/marquer", messages.mark, name="staff-message-mark"),
    path("messages/<int:contact_id>/supprimer", messages.delete, name="staff-message-delete"),
    path("messages/images/<int:pk>", messages.picture, name="staff-message-picture"),
]
