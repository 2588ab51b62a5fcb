"""How tables of match equity are made, checked and plotted; :mod:`sniffai.equity` looks them up."""
