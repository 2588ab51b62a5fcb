"""``python -m sniffai``: the command line."""

from sniffai.cli import main

if __name__ == "__main__":
    main()
