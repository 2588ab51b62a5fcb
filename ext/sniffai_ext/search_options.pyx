"""The options of a core search: one object, checked when it is made, that never changes."""

from libc.stdint cimport INT64_MAX, UINT32_MAX

from sniffai_ext.checks cimport read_flag, read_whole
from sniffai_ext.inference cimport take_models, take_told
from sniffai_ext.seat_model cimport SeatModel

from sniffai_ext.errors import LimitsError
from sniffai_ext.inference import check_told
from sniffai_ext.shown import shown
from sniffai_ext.tree_params import USUAL_MEMORY_BYTES, USUAL_TEMPERATURES, TreeParams, read_params
from sniffai_ext.worlds import MOST_WORLDS, check_temperatures

cdef object USUAL_PARAMS = TreeParams()


cdef class SearchOptions:
    """How a search grows its tree, what it maximises, and which data it uses.

    :param params: a :class:`~sniffai_ext.tree_params.TreeParams`: how the tree grows.
    :param equity: chances to win the match; None: they are not reported.
    :param match: whether the utility is the chance to win the match; else it is the margin of the round.
    :param memory_bytes: hard cap for the tree.
    :param expected: simulations to make room for at once, a hint.
    :param pool_size: worlds to weigh when the search first runs, and to draw from; 0: every determinization is a fresh
        sample.
    :param extra_size: further worlds in the pool, weighted by a fit to those.
    :param policy: model of the other seats; None: all worlds weigh the same, and nobody follows it.
    :param temperatures: of the model's choices by phase, in points, each 0.000001..1,000,000.
    :param value: values leaves; None: leaves are rolled out.
    :param proofs: whether ends of the round prove values where nothing is hidden; else all values are means.
    :param models: by seat: a :class:`~sniffai_ext.seat_model.SeatModel` of how it chooses, or None for the policy's
        model; () for none at all. The searching seat's own entry counts for nothing.
    :param told: how the others are taken to choose in what is told of the worlds, ``(start, growth, floor)``: with k
        tiles on the table the temperature is ``start * growth**k``, in points; None: as in the search.
    :param most_visits: simulations that a tree has room to count, 1..2**32-1: then it is as full as without memory.
    :raises LimitsError: an option is out of range; ``field`` is its name.
    """

    def __cinit__(self, params=USUAL_PARAMS, Equity equity=None, match=False, memory_bytes=USUAL_MEMORY_BYTES,
                  expected=0, pool_size=0, extra_size=0, Policy policy=None, temperatures=USUAL_TEMPERATURES,
                  WorldValue value=None, proofs=True, most_visits=UINT32_MAX, models=(), told=None):
        self._take_params(params)
        self.match = read_flag(match, "match")
        if self.match and equity is None:
            raise LimitsError("a search for the chance to win the match needs an equity table",
                              reason="NO_EQUITY", field="match")
        self.memory_bytes = read_whole(memory_bytes, "memory_bytes", 0, INT64_MAX)
        self.expected = read_whole(expected, "expected", 0, INT64_MAX)
        self.pool_size = read_whole(pool_size, "pool_size", 0, MOST_WORLDS)
        self.extra_size = read_whole(extra_size, "extra_size", 0, MOST_WORLDS)
        self.equity, self.policy, self.value = equity, policy, value
        self._take_model(temperatures, told)
        self.proofs = read_flag(proofs, "proofs")
        self.most_visits = read_whole(most_visits, "most_visits", 1, UINT32_MAX)
        self._take_models(models)

    def _take_params(self, params):
        if not isinstance(params, TreeParams):
            raise LimitsError(f"TreeParams are expected, not {shown(params)}", reason="NOT_PARAMS", field="params")
        # Read again: Python lets a caller make a frozen dataclass without its checks.
        checked = read_params(params)
        self.params = params
        self.growth = Growth(
            <float> checked["exploration"], <float> checked["root_exploration"], <float> checked["by_spread"],
            <float> checked["root_share"], <float> (checked["revisit"] ** 2),
        )
        self.common_worlds = checked["common_worlds"]
        self.epsilon = <uint32_t> (checked["epsilon"] * 65536)
        self.follow = <uint32_t> (checked["follow"] * 65536)
        self.model.floor = <float> checked["floor"]

    def _take_model(self, temperatures, told):
        cdef int phase
        self.told = None if told is None else check_told(told)
        self.temperatures = check_temperatures(temperatures)
        for phase in range(3):
            self.model.temperature[phase] = <float> self.temperatures[phase]
        take_told(&self.model, self.told)
        if self.policy is not None:
            self.model.net = &self.policy.net
        else:
            self.follow = 0

    def _take_models(self, models):
        self.models = take_models(&self.model, models, 0)
        if self.models and self.policy is None:
            raise LimitsError("models of seats need a policy beside them", reason="NO_POLICY", field="policy")

    def __reduce__(self):
        return type(self), (self.params, self.equity, self.match, self.memory_bytes, self.expected, self.pool_size,
                            self.extra_size, self.policy, self.temperatures, self.value, self.proofs, self.most_visits,
                            self.models, self.told)

    cdef int check_players(self, int players) except -1:
        """Raise LimitsError unless all data are for so many seats."""
        for field, noun, data in (("policy", "net", self.policy), ("value", "net", self.value),
                                  ("equity", "equity table", self.equity)):
            if data is not None and data.players != players:
                raise LimitsError(f"the {noun} is for {data.players} seats, but the round has {players}",
                                  reason="WRONG_NET", field=field)
        if self.models and len(self.models) != players:
            raise LimitsError(f"there are models for {len(self.models)} seats, but the round has {players}",
                              reason="WRONG_NET", field="models")
        for seat, model in enumerate(self.models):
            if model is not None:
                (<SeatModel> model).check_players(players, f"models[{seat}]")
        return 0
