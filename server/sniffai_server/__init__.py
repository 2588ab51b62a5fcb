"""The gRPC service of sniffai: decode, call, encode."""

import os

# gRPC's C core would write lines of its own between those of the log. It looks at this when it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
