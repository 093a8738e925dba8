"""Addresses of the accounts, inside Django's admin."""

from django.urls import path

from orders.books import views

app_name = "books"

urlpatterns = [
    path("", views.books_page, name="index"),
    path("recettes", views.receipts_page, name="receipts"),
    path("recettes.csv", views.receipts_csv, name="receipts-csv"),
    path("e-reporting.csv", views.reporting_csv, name="reporting-csv"),
]
