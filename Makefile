# Everything starts here: `make run` on a machine with nothing but Python 3.11+, Node 20+ and make.
# PYTHON=… and NODE=… name other binaries; PORT=…, DATA_DIR=… and the rest of .env.example set the shop.

.DEFAULT_GOAL := help
.PHONY: help run dev test check bench
SHELL := /bin/sh
export PYTHON NODE

BIN := .venv/bin
PREPARE = python=$$(scripts/check_tools.sh) && "$$python" scripts/prepare.py

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile

run: ## Start the shop at http://localhost:8000 (PORT=9000 and DATA_DIR=/elsewhere to change)
	@$(PREPARE) run && exec $(BIN)/python manage.py run_shop

dev: ## The same, reloading whatever you edit
	@$(PREPARE) test && exec $(BIN)/python manage.py run_shop --reload

test: ## Every check and every test, browser included
	@$(PREPARE) test && exec $(BIN)/python scripts/run_tests.py

check: ## Formats, lints, types, layers, migrations, translations, budgets: no test
	@$(PREPARE) test && exec $(BIN)/python scripts/run_checks.py

bench: ## Figures: last piece under load, page times; HISTORIES=10000 plays random histories of orders instead
	@$(PREPARE) test && exec $(BIN)/python scripts/bench.py $(if $(HISTORIES),--histories $(HISTORIES))
