"""Calls of administrators: one room a file, each with its own addresses."""
