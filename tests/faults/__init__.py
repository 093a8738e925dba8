"""What breaks in production, broken on purpose."""
