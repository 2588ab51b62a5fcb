"""The compiled core of sniffai: integers in and out, checked arguments. Import its rooms one by one.

The rooms, lowest first: errors, layout, round, view, belief, rollout, search. Their .pyi files say what each offers.
"""
