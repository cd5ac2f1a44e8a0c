//! Credentials of repositories: Secrets by label and address, and the tokens of cloud providers.
