"""Which of several uncertain values is the largest. It is compiled because every answer of a search needs it.
"""

from libc.math cimport M_PI, M_SQRT1_2, erfc, exp, hypot, sqrt

from sniffai_ext.checks cimport read_items, read_real

from sniffai_ext.errors import LimitsError

cdef double MOST_POINTS = 1e12

cdef enum:
    MOST = 64             # values: more than any seat has distinct moves
    FAR = 6               # standard errors below the largest mean beyond which there is no chance: one in 1,000 million
    WIDE = 5              # standard errors of a value that are integrated over
    STEPS = 40

cdef struct Value:
    double mean
    double error


def best_chances(values):
    """The probability of each value to be the largest, for independent normal distributions; they sum to 1.

    :param values: mean and standard error, at least 0, of each, at most 64 of them; equal certain ones share the
        probability.
    :return: a list of as many probabilities.
    :raises LimitsError: too many values, or one that is not a finite mean and a finite error of at least 0.
    """
    cdef Value[MOST] near
    cdef Value best
    cdef double whole = 0
    cdef int i, close = 0
    values = [read_value(value, place) for place, value in enumerate(read_items(values, "values"))]
    if not values:
        return []
    if len(values) > MOST:
        raise LimitsError(f"at most {MOST} values are expected, not {len(values)}", reason="TOO_MANY_VALUES",
                          field="values")
    best.mean, best.error = max(values)
    chances = [0.0] * len(values)
    places = []
    for place, (mean, error) in enumerate(values):
        if best.mean - mean <= FAR * hypot(error, best.error):
            near[close] = Value(mean, error)
            places.append(place)
            close += 1
    for i in range(close):
        chances[places[i]] = chance_of(near, close, i)
        whole += chances[places[i]]
    return [chance / whole for chance in chances]


cdef tuple read_value(value, int place):
    """A mean and an error as plain numbers."""
    pair = read_items(value, f"values[{place}]")
    if len(pair) != 2:
        raise LimitsError("a mean and an error are expected", reason="NOT_A_VALUE", field=f"values[{place}]")
    return (read_real(pair[0], f"values[{place}][0]", -MOST_POINTS, MOST_POINTS),
            read_real(pair[1], f"values[{place}][1]", 0, MOST_POINTS))


cdef double chance_of(const Value *values, int count, int own) noexcept nogil:
    """The integral of a value's density times the probability that each other one is below."""
    cdef double mean = values[own].mean, error = values[own].error
    cdef double least = -WIDE, step, z, area = 0
    cdef int i
    if error == 0:
        return all_below(values, count, own, mean, True)
    for i in range(count):
        if values[i].error == 0:
            least = max(least, (values[i].mean - mean) / error)
    step = (WIDE - least) / STEPS
    if step <= 0:
        return 0
    for i in range(STEPS + 1):
        z = least + i * step
        area += (0.5 if i == 0 or i == STEPS else 1.0) * exp(-0.5 * z * z) \
            * all_below(values, count, own, mean + z * error, False)
    return area * step / sqrt(2 * M_PI)


cdef double all_below(const Value *values, int count, int own, double point, bint certain_too) noexcept nogil:
    """The probability that all values but one are below a point; half of it where a certain one is just there."""
    cdef double product = 1
    cdef int i
    for i in range(count):
        if i == own:
            continue
        if values[i].error:
            product *= 0.5 * erfc((values[i].mean - point) / values[i].error * M_SQRT1_2)
        elif certain_too:
            product *= 0.5 if values[i].mean == point else <double> (values[i].mean < point)
    return product
