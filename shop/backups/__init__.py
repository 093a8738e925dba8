"""Backups: what the shop holds, stored elsewhere, and brought back into an empty machine on either engine."""
