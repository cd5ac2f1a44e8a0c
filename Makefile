# The front door. `make run` starts the embedded control plane; `make test` runs every tier.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

include tools/tools.mk

TARGET := $(or $(CARGO_TARGET_DIR),target)
KARGO := $(TARGET)/release/kargo
# The test programs, from one build of everything: built one by one they would share less, because features unify differently.
PROGRAM := $(TARGET)/debug
# The tiers of `make test` run the kargo of that build: it checks arithmetic and assertions, and a second build of everything is spared.
conformance% permissions admission% scenarios% cluster-e2e test-portable test-api test-argocd test-rollouts test-strangers crash histories: export KARGO_BIN ?= $(abspath $(PROGRAM)/kargo)
soak: export KARGO_BIN ?= $(abspath $(KARGO))
UP_FLAGS ?= --demo

.PHONY: help run build test t lint fmt unit test-vectors conformance conformance-embedded conformance-cluster permissions admission admission-embedded admission-cluster scenarios scenarios-embedded scenarios-cluster cluster-e2e test-portable test-api test-argocd test-rollouts test-strangers crash histories churn programs soak bench gen deny require-rust

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-24s %s\n", $$1, $$2}'

## ---- build and run

run: build ## Build and start the embedded control plane with its demo (UP_FLAGS= without; "--in-memory" and others)
	@command -v kubectl >/dev/null || { $(MAKE) kubectl && echo "kubectl: $$(tools/build --print kubectl)"; }
	$(KARGO) up $(UP_FLAGS)

build: require-rust ## Build the kargo binary
	@[ -x $(KARGO) ] || echo "building kargo: the first build takes a few minutes on two cores"
	cargo build --release --locked --package kargo

require-rust:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust (rustup.rs), then run make again" >&2; exit 1; }

## ---- tests

test: lint unit test-vectors conformance permissions admission scenarios cluster-e2e test-portable test-api crash churn histories ## Run every tier: lints, unit, vectors, conformance, permissions, admission and scenarios on both engines, up on a cluster, a real Dex, crash, random histories

t: ## The fast loop: unit tests alone
	cargo test --workspace --locked --quiet

lint: require-rust fmt ## Format check, clippy, layers, tidiness, generated files, licences
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo run --quiet --locked --package xtask -- layers
	cargo run --quiet --locked --package xtask -- tidy
	cargo run --quiet --locked --package xtask -- gen --check
	$(MAKE) deny

fmt:
	cargo fmt --all -- --check

unit: require-rust test-servers helm kustomize ## Unit, snapshot and property tests
	cargo test --workspace --locked

programs: require-rust
	cargo build --workspace --all-targets --locked

test-vectors: programs ## Every vector family (VECTORS_DIR=… for another folder of the same format)
	$(PROGRAM)/vectors

conformance: conformance-embedded conformance-cluster ## The same rows on the embedded engine and on a real kube-apiserver

conformance-embedded: programs kubectl ## Rows of the conformance table on the embedded engine
	$(PROGRAM)/conformance embedded

conformance-cluster: programs tools ## The same rows on kube-apiserver and etcd
	$(PROGRAM)/conformance cluster

permissions: programs tools ## What each component may and may not do, on kube-apiserver (the unit tier asks the embedded engine)
	rm -rf .cache/permissions
	tools/cluster up .cache/permissions --fast
	$(PROGRAM)/permissions --kubeconfig .cache/permissions/admin.kubeconfig && status=0 || status=$$?; \
	tools/cluster down .cache/permissions; exit $$status

admission: admission-embedded admission-cluster ## Every rule of admission in tables, on both engines

admission-embedded: programs ## Rows of the admission tables on the embedded engine
	$(PROGRAM)/admission embedded

admission-cluster: programs tools ## The same rows on kube-apiserver, which asks through registered webhooks
	$(PROGRAM)/admission cluster

scenarios: scenarios-embedded scenarios-cluster ## What becomes of Freight, Promotions and Stages, on both engines

scenarios-embedded: programs ## The scenarios on the embedded engine
	$(PROGRAM)/scenarios embedded

scenarios-cluster: programs tools ## The same scenarios on kube-apiserver
	$(PROGRAM)/scenarios cluster

cluster-e2e: programs tools ## `kargo up --kubeconfig` on kube-apiserver: install, admission, tokens, refusals, kill and stop
	$(PROGRAM)/cluster

test-portable: programs tools ## Backup, restore and migration of a living pipeline between both engines, with kills
	$(PROGRAM)/portable

test-api: programs dex ## People of a real Dex log in to a running `kargo up`, and may do what their groups may
	$(PROGRAM)/api

test-argocd: programs tools argocd ## Promotions with a real Argo CD on kube-apiserver: syncs, failures, permission, health
	$(PROGRAM)/argocd

test-rollouts: programs tools argo-rollouts ## Verification by a real Argo Rollouts beside kargo on kube-apiserver
	$(PROGRAM)/rollouts

test-strangers: programs tools cert-manager ## Programs that are not ours on the embedded engine (KARGO_REFERENCE=…, KARGO_REFERENCE_CLI=… for those of the reference)
	$(PROGRAM)/strangers

crash: programs ## Kill and power-cut tests, small counts
	$(PROGRAM)/crash --kills 10 --power-cuts 10 --fetch-kills 10 --step-kills 10 --promotion-kills 10 --replica-kills 5

churn: programs ## A short day of writes in simulated time: memory and disk stay within their bounds
	$(PROGRAM)/churn --seconds 600

histories: programs tools ## Random histories on the embedded engine and on kube-apiserver, every reply compared; small count
	$(PROGRAM)/histories --count 200

soak: build programs tools ## The large counts; the summary goes to docs/benchmarks.md
	$(PROGRAM)/crash --kills 200 --power-cuts 100 --fetch-kills 50 --step-kills 300 --promotion-kills 300 --replica-kills 50 --rotation-kills 100 --report docs/benchmarks.md
	SIM_SEEDS=20000 cargo test --release --locked --package dev-sim -- pipelines_keep
	SIM_SEEDS=2000 cargo test --release --locked --package dev-sim -- --skip pipelines_keep
	cargo run --quiet --release --locked --package churn -- --report docs/benchmarks.md
	$(PROGRAM)/histories --count 10000 --kills 100
	API_FUZZ_REQUESTS=20000 cargo test --release --locked --package svc-api --test it no_request_is_too_much -- --nocapture

bench: build tools ## Figures against the limits, and against kube-apiserver and etcd in the same run
	cargo run --quiet --release --locked --package bench

## ---- chores

gen: ## Write generated files anew
	cargo run --quiet --locked --package xtask -- gen

deny: ## Licences, duplicate and banned crates
	@command -v cargo-deny >/dev/null || { echo "installing cargo-deny, a few minutes once"; cargo install --quiet --locked cargo-deny; }
	cargo deny --locked --log-level error check licenses bans sources
