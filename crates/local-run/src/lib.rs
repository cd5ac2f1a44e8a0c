//! What runs without a server: discovery of a Warehouse file.
