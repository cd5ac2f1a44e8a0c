//! Git repositories: refs over the wire, shared bare mirrors, history and changed paths.
