"""``python -m sniffai_server`` is ``sniffai-server``."""

import sys

from sniffai_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
