"""What deploy/ says is what the server understands: names of settings, metrics, ports and files, and the figures."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sniffai_server.config import read_config
from sniffai_server.settings import Settings, settings_fields
from tests.server.observe.test_metrics import known
from tools import deploy_check

DEPLOY = deploy_check.DEPLOY
KUBERNETES = DEPLOY / "kubernetes"
NAMES = {f"SNIFFAI_{field.name.upper()}" for field in settings_fields()}
IDLE = 100 << 20
"""Bytes of an idle server: docs/sizing.md."""


def files(*endings: str) -> list[Path]:
    return sorted(path for path in DEPLOY.rglob("*") if path.suffix in endings)


def read(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text(encoding="utf-8"))


def container(part: str) -> Any:
    (found,) = read(f"kubernetes/{part}/deployment.yaml")["spec"]["template"]["spec"]["containers"]
    return found


def variables(part: str) -> dict[str, str]:
    return {entry["name"]: entry["value"] for entry in container(part)["env"] if "value" in entry}


@pytest.mark.parametrize("path", files(".yaml", ".yml", ".json"), ids=lambda path: str(path.relative_to(DEPLOY)))
def test_every_file_can_be_read(path: Path) -> None:
    documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    assert all(isinstance(document, dict) for document in documents)


def test_every_setting_exists() -> None:
    """Also those in comments."""
    for path in files(".yaml", ".yml", ".service"):
        named = set(re.findall(r"SNIFFAI_[A-Z_]+", path.read_text(encoding="utf-8")))
        assert named <= NAMES, path


@pytest.mark.parametrize("parts", [["base"], ["base", "keys", "postgres"]])
def test_the_server_takes_the_values(parts: list[str], tmp_path: Path) -> None:
    given = {name: value for part in parts for name, value in variables(part).items()}
    settings = read_config({}, environment={"SNIFFAI_HOST": "0.0.0.0", **given}).settings
    assert settings.insecure and settings.metrics_port == 9464


def test_a_replica_has_time_and_memory() -> None:
    pod = read("kubernetes/base/deployment.yaml")["spec"]["template"]["spec"]
    given = variables("base")
    assert pod["terminationGracePeriodSeconds"] >= (
        float(given["SNIFFAI_DRAIN_DELAY"]) + float(given["SNIFFAI_GRACE_SECONDS"]) + 2
    )
    resources = pod["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"]
    memory = int(resources["limits"]["memory"].removesuffix("Mi")) << 20
    assert memory >= IDLE + int(given["SNIFFAI_MAX_TOTAL_BYTES"]) + 2 * Settings().max_held_bytes
    assert int(given["SNIFFAI_MAX_TOTAL_BYTES"]) == 2 * int(resources["limits"]["cpu"]) * Settings().max_search_bytes
    probe = pod["containers"][0]["readinessProbe"]
    assert probe["failureThreshold"] * probe["periodSeconds"] < float(given["SNIFFAI_DRAIN_DELAY"])


def test_a_replica_can_do_nothing_but_serve() -> None:
    pod = read("kubernetes/base/deployment.yaml")["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    own = pod["containers"][0]["securityContext"]
    assert own["readOnlyRootFilesystem"] is True and own["allowPrivilegeEscalation"] is False
    assert own["capabilities"] == {"drop": ["ALL"]}
    user = pod["securityContext"]["runAsUser"]
    assert f"USER {user}:{user}" in (DEPLOY.parent / "Dockerfile").read_text(encoding="utf-8")
    assert read("kubernetes/base/network.yaml")["spec"]["egress"] == []


def test_ports_are_those_of_the_server() -> None:
    ports = {port["name"]: port["containerPort"] for port in container("base")["ports"]}
    assert ports == {"grpc": Settings().port, "metrics": int(variables("base")["SNIFFAI_METRICS_PORT"])}
    (port,) = read("kubernetes/base/service.yaml")["spec"]["ports"]
    assert (port["port"], port["targetPort"]) == (Settings().port, "grpc")
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container("base")[probe]["grpc"] == {"port": Settings().port}
    assert read("kubernetes/base/service.yaml")["spec"]["clusterIP"] == "None"


@pytest.mark.parametrize("part", ["tls", "keys"])
def test_files_of_secrets_are_where_the_settings_say(part: str) -> None:
    mounts = [mount["mountPath"] for mount in container(part)["volumeMounts"]]
    paths = [value for value in variables(part).values() if value.startswith("/")]
    assert paths and all(any(path.startswith(f"{mount}/") for mount in mounts) for path in paths)


def test_the_autoscaler_asks_for_what_the_adapter_gives() -> None:
    asked = {entry["pods"]["metric"]["name"] for entry in read("kubernetes/base/autoscaler.yaml")["spec"]["metrics"]}
    rules = read("kubernetes/adapter.yaml")["rules"]
    assert asked == {rule["name"]["as"] for rule in rules}
    for rule in rules:
        assert set(re.findall(r"\bsniffai_\w+", rule["seriesQuery"] + rule["metricsQuery"])) <= known()


def test_prometheus_finds_the_servers() -> None:
    for name in ("prometheus.yml", "kubernetes.yml"):
        config = read(f"prometheus/{name}")
        assert [job["job_name"] for job in config["scrape_configs"]] == ["sniffai"]
        assert all((DEPLOY / "prometheus" / rules).exists() for rules in config["rule_files"])
    (found,) = read("prometheus/prometheus.yml")["scrape_configs"][0]["dns_sd_configs"]
    services = read("compose/compose.yaml")["services"]
    assert set(found["names"]) <= services.keys()
    assert str(found["port"]) == services["sniffai"]["environment"]["SNIFFAI_METRICS_PORT"]
    relabel = read("prometheus/kubernetes.yml")["scrape_configs"][0]["relabel_configs"][0]
    assert relabel["regex"] == "sniffai;metrics"


def test_compose_mounts_what_there_is() -> None:
    services = read("compose/compose.yaml")["services"]
    bound = [mount for service in services.values() for mount in service["volumes"] if isinstance(mount, dict)]
    sources = [DEPLOY / "compose" / mount["source"] for mount in bound if mount["type"] == "bind"]
    assert len(sources) == 3 and all(source.is_dir() for source in sources)
    for service in services.values():
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    home = Path(services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
    dashboard = DEPLOY / "grafana" / home.name
    assert json.loads(dashboard.read_text(encoding="utf-8"))["panels"]
    (provider,) = read("compose/provisioning/dashboards/sniffai.yaml")["providers"]
    assert provider["options"]["path"] == str(home.parent)
    stop = int(services["sniffai"]["stop_grace_period"].removesuffix("s"))
    delay = float(services["sniffai"]["environment"]["SNIFFAI_DRAIN_DELAY"])
    assert stop >= delay + Settings().grace_seconds + 2


def test_the_unit_hands_over_the_files_that_it_names() -> None:
    unit = (DEPLOY / "systemd" / "sniffai-server.service").read_text(encoding="utf-8")
    loaded = re.findall(r"^LoadCredential=([\w.-]+):(/\S+)$", unit, re.MULTILINE)
    named = dict(re.findall(r"^Environment=(SNIFFAI_\w+)=%d/(\S+)$", unit, re.MULTILINE))
    assert set(named.values()) == {name for name, _ in loaded}
    assert named.keys() == {"SNIFFAI_TLS_CERT", "SNIFFAI_TLS_KEY", "SNIFFAI_KEYS_FILE"}
    (stop,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    assert int(stop) >= Settings().grace_seconds + 2


def test_the_validators_that_are_installed_agree() -> None:
    """As `make deploy-check`, which brings some of them."""
    assert [(result.what, result.said) for result in deploy_check.results() if not result.good] == []
