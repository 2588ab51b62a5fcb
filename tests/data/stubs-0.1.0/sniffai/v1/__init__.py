"""Generated from proto/sniffai/v1 by `make proto`: messages and stubs of the wire contract. Do not edit."""
