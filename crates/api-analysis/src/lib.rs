//! Kinds of Argo Rollouts that verification uses, as far as this product reads and writes them.
