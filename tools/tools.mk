# Real Kubernetes tools for tests and benchmarks, see tools/README.md.
# Included by the Makefile at the root of the repository.

CLUSTER_DIR ?= .cache/cluster
CLUSTER_FLAGS ?=

.PHONY: tools test-servers kubectl helm kustomize argocd argo-rollouts cert-manager dex cluster-up cluster-down

tools: ## Build kube-apiserver, kube-controller-manager, kubectl, etcd, helm and kustomize
	tools/build

test-servers: ## Install an image registry and an SSH server for tests, where they are missing
	tools/servers

kubectl: ## Build kubectl
	tools/build kubectl

helm: ## Build helm
	tools/build helm

kustomize: ## Build kustomize
	tools/build kustomize

argocd: ## Build Argo CD and install the Redis server it needs
	tools/build argocd
	tools/servers redis-server

argo-rollouts: ## Build Argo Rollouts
	tools/build argo-rollouts

cert-manager: ## Build cert-manager's controller
	tools/build cert-manager

dex: ## Build Dex
	tools/build dex

cluster-up: ## Start a real Kubernetes control plane in $(CLUSTER_DIR)
	tools/cluster up $(CLUSTER_DIR) $(CLUSTER_FLAGS)

cluster-down: ## Stop it
	tools/cluster down $(CLUSTER_DIR)
