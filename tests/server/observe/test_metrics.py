"""Prometheus metrics: what they count, where they are served, and that dashboard and alerts ask for nothing else."""

import json
import re
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sniffai.v1 import analysis_service_pb2, engine_service_pb2
from sniffai_server.calls.intake import Holdings
from sniffai_server.calls.pace import Stalls
from sniffai_server.listening import ListenError
from sniffai_server.load.admission import Priority, SlotQueue
from sniffai_server.observe.metrics import Metrics
from sniffai_server.settings import Settings
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    recommend,
    running_server,
    story,
    stubs_of,
    view_message,
)

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",), "unknown": ("",)}
LABELS = {"method", "code", "reason", "priority", "stop_reason", "what", "le", "version", "job", "instance"} | {
    "by",
    "file",
    "kind",
    "result",
    "state",
}


@pytest.fixture
def measured() -> Iterator[SimpleNamespace]:
    """A server with its metrics on a port, and stubs."""
    with running_server(metrics_port=0) as server, stubs_of(server.address) as stubs:
        assert server.server.metrics_port is not None
        url = f"http://127.0.0.1:{server.server.metrics_port.port}/metrics"
        yield SimpleNamespace(server=server, stubs=stubs, url=url, queue=server.server.searches.queue)


def scrape(url: str) -> dict[str, float]:
    """All samples, by name and labels as they are written."""
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
        text = answer.read().decode()
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if not line.startswith("#")
    }


def settled(url: str, sample: str, value: float) -> dict[str, float]:
    """The samples once one of them has a value: a call is counted just after its client has its answer."""
    end = time.monotonic() + TIMEOUT
    while (samples := scrape(url)).get(sample) != value:
        assert time.monotonic() < end, (sample, samples.get(sample))
        time.sleep(0.01)
    return samples


def test_counts_equal_the_calls_sent(measured: SimpleNamespace) -> None:
    for _ in range(7):
        recommend(measured.stubs, view_message(choice()), limits={"simulations": 500})
    for _ in range(3):
        failure(lambda: recommend(measured.stubs, view_message(story() | {"hand": ["9|9"]})))
    method = 'method="sniffai.v1.AnalysisService/RecommendMove"'
    samples = settled(measured.url, f'sniffai_requests_total{{code="INVALID_ARGUMENT",{method}}}', 3)
    assert samples[f'sniffai_requests_total{{code="OK",{method}}}'] == 7
    assert samples[f"sniffai_request_duration_seconds_count{{{method}}}"] == 10
    assert samples['sniffai_rejected_total{reason="UNKNOWN_TILE"}'] == 3
    assert samples['sniffai_searches_total{stop_reason="simulations"}'] == 7
    assert samples["sniffai_simulations_total"] == 3500
    assert samples['sniffai_queue_wait_seconds_count{priority="interactive"}'] == 7
    assert samples["sniffai_tree_bytes_count"] == 7
    assert samples["sniffai_tree_bytes_sum"] > 0
    assert samples["sniffai_search_simulations_per_second_count"] == 7
    assert samples[f"sniffai_requests_in_flight{{{method}}}"] == 0
    assert samples["process_open_fds"] > 0


def test_gauges_show_slots_queue_and_memory(measured: SimpleNamespace) -> None:
    """Slots, queue and memory as they are, and a cancelled search counts as work done."""
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 15}})
    calls = [measured.stubs.analysis.Analyze.future(request, timeout=TIMEOUT) for _ in range(3)]
    samples = settled(measured.url, 'sniffai_queue_depth{priority="analysis"}', 1)
    assert (samples["sniffai_slots_busy"], samples["sniffai_slots"], samples["sniffai_queue_size"]) == (2, 2, 64)
    assert (samples["sniffai_slots_of_one_caller"], samples['sniffai_queue_callers{priority="analysis"}']) == (2, 1)
    assert samples["sniffai_tree_reserved_bytes"] == 2 * (256 << 20)
    assert samples["sniffai_tree_limit_bytes"] == 4 * (256 << 20)
    method = 'method="sniffai.v1.AnalysisService/Analyze"'
    assert samples[f"sniffai_requests_in_flight{{{method}}}"] == 3
    for call in reversed(calls):
        call.cancel()
    samples = settled(measured.url, f'sniffai_requests_total{{code="CANCELLED",{method}}}', 3)
    assert samples["sniffai_slots_busy"] == samples["sniffai_tree_reserved_bytes"] == 0
    assert samples["sniffai_simulations_total"] > 0
    assert samples['sniffai_searches_total{stop_reason="stopped"}'] >= 2


def test_metrics_are_off_unless_a_port_is_given(server: LoopbackServer) -> None:
    assert Settings().metrics_port is None
    assert Settings().metrics_host == "127.0.0.1"
    assert server.server.metrics_port is None


def test_a_taken_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = f"cannot serve metrics on 127.0.0.1:{port}"
        with pytest.raises(ListenError, match=message), running_server(metrics_port=port):
            pass


def test_metrics_survive_a_scrape_under_load(measured: SimpleNamespace) -> None:
    request = engine_service_pb2.GetEngineInfoRequest()
    calls = [measured.stubs.engine.GetEngineInfo.future(request, timeout=TIMEOUT) for _ in range(200)]
    for _ in range(5):
        assert "sniffai_slots" in scrape(measured.url)
    assert all(call.result() for call in calls)
    settled(measured.url, 'sniffai_requests_total{code="OK",method="sniffai.v1.EngineService/GetEngineInfo"}', 200)


def whole_metrics() -> Metrics:
    metrics = Metrics(SlotQueue(1, 1, 1), Holdings.of(Settings()), Stalls())
    metrics.watch_matches(dict)
    return metrics


def known() -> set[str]:
    """The names of all time series that a server gives."""
    registry = whole_metrics().registry
    return {family.name + suffix for family in registry.collect() for suffix in SUFFIXES[family.type]} | {"up"}


def queries() -> dict[str, str]:
    """The queries of the dashboard and of the alerts, by where they stand."""
    dashboard = json.loads((DEPLOY / "grafana" / "sniffai.json").read_text(encoding="utf-8"))
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))
    found = {rule["alert"]: rule["expr"] for group in rules["groups"] for rule in group["rules"]}
    for panel in dashboard["panels"]:
        found |= {f"{panel['title']} {target['refId']}": target["expr"] for target in panel["targets"]}
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            found[variable["name"]] = variable["query"]
    return found


@pytest.mark.parametrize("place", queries())
def test_dashboard_and_alerts_ask_for_what_there_is(place: str) -> None:
    query = queries()[place]
    names = set(re.findall(r"\b(?:sniffai|process)_[a-z_]+|\bup\b", query))
    assert names
    assert names <= known()
    labels = re.findall(r"(\w+)\s*(?:=~|!=|=)\s*\"", query)
    for grouping in re.findall(r"by \((.*?)\)", query):
        labels += re.split(r",\s*", grouping)
    assert set(labels) <= LABELS
    assert query.count("(") == query.count(")")
    assert query.count("{") == query.count("}")


def test_alerts_are_complete() -> None:
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 8
    for rule in rules:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"]
        assert re.fullmatch(r"\d+m", rule["for"])


def test_reasons_and_codes_in_the_queries_are_real() -> None:
    text = " ".join(queries().values())
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "server" / "sniffai_server").rglob("*.py"))
    for reason in re.findall(r"reason=\"(\w+)\"", text):
        assert f'"{reason}"' in source
    for priority in re.findall(r"priority=\"(\w+)\"", text):
        assert priority.upper() in Priority.__members__


def test_every_metric_is_on_the_dashboard() -> None:
    text = " ".join(queries().values())
    families: Any = whole_metrics().registry.collect()
    names = {family.name for family in families if family.name.startswith("sniffai_")}
    assert {name for name in names if name not in text} == set()
