"""Pages of orders and their money in the staff area: one module a subject."""
