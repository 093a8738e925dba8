"""Invoices and credit notes: numbered and frozen when issued, typeset and sent afterwards."""
