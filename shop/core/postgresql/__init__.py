"""Django's PostgreSQL backend, with an end to every wait."""
