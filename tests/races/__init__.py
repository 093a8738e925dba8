"""The shop's promises under real concurrency: real threads, a real PostgreSQL, the payment sandbox over HTTP."""
