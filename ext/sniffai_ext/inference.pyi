from sniffai_ext.view import View

PHASE_EDGES: tuple[int, int]

def sampled_past(view: View, seed: int) -> list[tuple[int, int, int, int]]: ...
