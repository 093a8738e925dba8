"""A moment in French says « à » before its hour."""

DATETIME_FORMAT = "j F Y à H:i"
