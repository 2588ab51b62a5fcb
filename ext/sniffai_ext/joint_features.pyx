"""Which rows of features.pxd each row of joint_features.pxd is the sum of."""

from sniffai_ext.features cimport (
    BEFORE_SNIFF, COUNT, COUNT_MOD, DOUBLES, LINES, NEXT_FITS, OPEN_FITS, OTHERS, OWN, OWN_FITS, OWN_MOST, OWN_SCORING,
    OWN_SIZE, REPLY_MOST, REPLY_TILES, SINGLES, TALON_SIZE, UNSEEN, net_rows,
)
from sniffai_ext.types cimport NO_SNIFF, PIPS


cdef object joint_sums(int players):
    """float64 ``[joint_rows(players), net_rows(players)]``: how often each row counts: 1, 0 or -1."""
    import numpy as np

    sums = np.zeros((joint_rows(players), net_rows(players)))
    cdef double[:, ::1] on = sums
    cdef int i, j, k
    for k in range(FOURS):
        for i in range(16):
            for j in range(4):
                on[J_UNSEEN + 16 * k + i, UNSEEN + 4 * k + j] = on[J_OWN + 16 * k + i, OWN + 4 * k + j] = i >> j & 1
    for k in range(PIPS):
        for i in range(16):
            for j in range(min(i >> 1, 3)):
                on[J_ARMS + 16 * k + i, SINGLES + 3 * k + j] = 1
                on[J_NO_ARMS + 16 * k + i, SINGLES + 3 * k + j] = -1
            on[J_ARMS + 16 * k + i, DOUBLES + k] = i & 1
            on[J_NO_ARMS + 16 * k + i, DOUBLES + k] = -(i & 1)
        for i in range(1, 3):
            on[J_SNIFF + 4 * k + i, LINES + 2 * k + i - 1] = 1
    on[J_SNIFF + 4 * NO_SNIFF, BEFORE_SNIFF] = 1
    for k in range(TILES):
        on[J_PLACED + k, OWN + k] = -1
    for k in range(64):
        on[J_COUNT + k, COUNT + capped(k, 39)] = on[J_COUNT + k, COUNT_MOD + k % 5] = 1
    for k in range(128):
        on[J_REPLY + k, REPLY_MOST + k // 16] = on[J_REPLY + k, REPLY_TILES + capped(k % 16, 8)] = 1
        on[J_NEXT + k, OWN_MOST + k // 16] = on[J_NEXT + k, OWN_SCORING + capped(k % 16, 8)] = 1
    for k in range(32):
        on[J_OWN_FITS + k, OWN_FITS + capped(k, 8)] = 1
        on[J_OPEN_FITS + k, OPEN_FITS + capped(k, 15)] = 1
        on[J_NEXT_FITS + k, NEXT_FITS + capped(k, 15)] = 1
    for k in range(15):
        on[J_TALON_SIZE + k, TALON_SIZE + k] = 1
    for k in range(12):
        on[J_OWN_SIZE + k, OWN_SIZE + k] = 1
    for k in range((players - 1) * OTHER_BLOCK):
        on[J_OTHERS + k, OTHERS + k] = 1
    return sums
