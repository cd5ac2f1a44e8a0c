//! Pull requests of Git hosting services, one module per provider.
