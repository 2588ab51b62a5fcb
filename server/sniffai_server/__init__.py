"""The gRPC service of sniffai: decode, call, encode."""
