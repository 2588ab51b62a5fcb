"""How equity tables are made, checked and plotted; :mod:`sniffai.equity` looks them up."""
