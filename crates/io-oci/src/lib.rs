//! Container registries and Helm repositories: tags, manifests, image metadata, chart versions.
