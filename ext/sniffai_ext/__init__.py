"""The compiled core of sniffai: integers in and out, checks at the Python door. Import its rooms one by one.

The rooms, lowest first: errors, layout, round, view, belief, rollout, search. Their .pyi files say what each offers.
"""
