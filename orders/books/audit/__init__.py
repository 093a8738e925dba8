"""The proof that the books are whole: series, chain, documents, orders, ledger and the provider's account agree."""

from orders.books.audit.report import AuditReport, Fault, audit_books

__all__ = ["AuditReport", "Fault", "audit_books"]
