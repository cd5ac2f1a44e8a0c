//! Edits of YAML, JSON and TOML files that change only the bytes they must.
