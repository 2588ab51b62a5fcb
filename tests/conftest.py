"""Settings of hypothesis for the whole suite.

``make test`` runs the same examples each time. ``HYPOTHESIS_PROFILE=explore`` looks at new and many more ones.
"""

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

settings.register_profile("steady", deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW)
settings.register_profile("explore", deadline=None, database=None, max_examples=5000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
