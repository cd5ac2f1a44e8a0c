//! The controller of a shard: reconciles Warehouses.
