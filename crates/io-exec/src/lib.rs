//! Child processes with deadlines and whole-group kills, and work directories.
