"""The shop's accounts, read from the ledger: receipts, turnover, what is reported to the tax office."""
