# Everything starts here: `make run` on a machine with nothing but Python 3.11+, Node 20.19+ and make.
# PYTHON=… and NODE=… name other binaries; PORT=…, DATA_DIR=… and the rest of .env.example set the shop.

.DEFAULT_GOAL := help
.PHONY: help run dev test check bench stack stack-test
SHELL := /bin/sh
export PYTHON NODE

BIN := .venv/bin
PREPARE = python=$$(scripts/check_tools.sh) && "$$python" scripts/prepare.py

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

run: ## Start the shop at http://localhost:8000 (PORT=9000 and DATA_DIR=/elsewhere to change)
	@$(PREPARE) run && exec $(BIN)/python manage.py run_shop

dev: ## The same, reloading whatever you edit
	@$(PREPARE) test && exec $(BIN)/python manage.py run_shop --reload

test: ## Every check and every test, browser included
	@$(PREPARE) test && exec $(BIN)/python scripts/run_tests.py

check: ## Formats, lints, types, layers, migrations, translations, budgets: no test
	@$(PREPARE) test && exec $(BIN)/python scripts/run_checks.py

bench: ## Figures: last piece under load, page times; ENGINE=postgres-redis as busy shops run; HISTORIES=10000 plays orders
	@$(PREPARE) test && exec $(BIN)/python scripts/bench.py $(if $(ENGINE),--engine $(ENGINE)) $(if $(HISTORIES),--histories $(HISTORIES))

stack: ## PostgreSQL, Redis, S3, nginx, two web nodes, two workers, beat on this machine, as deploy/ says
	@$(PREPARE) test && exec $(BIN)/python scripts/stack.py

stack-test: ## The same under load while its parts fail, one by one; REDIS_SECONDS=60 shortens the longest
	@$(PREPARE) test && exec $(BIN)/python scripts/stack_test.py $(if $(REDIS_SECONDS),--redis-seconds $(REDIS_SECONDS))
