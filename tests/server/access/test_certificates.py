"""Certificates are proven before they are served, and a failed connection is told by its true cause."""

import asyncio
import ipaddress
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sniffai.addresses import read_address
from sniffai.cli.group import run
from sniffai.client import Client, Tls
from sniffai.client.diagnosis import Trust
from sniffai_server import cli
from sniffai_server.access.tls import Certificates, SecurityError
from sniffai_server.probe import why_not_serving
from sniffai_server.settings import Settings
from tests.server.support import TIMEOUT, running_server
from tests.waiting import wait_until

P256 = ec.generate_private_key(ec.SECP256R1())
DAY = timedelta(days=1)


def make(
    folder: Path,
    key: Any = P256,
    *,
    name: str = "server",
    days: tuple[int, int] = (-1, 30),
    hosts: tuple[str, ...] = ("localhost",),
    password: bytes = b"",
    purpose: Any = None,
) -> dict[str, str]:
    """A certificate that vouches for itself, and its key, as settings; no hosts: no name either."""
    subject = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "tests")])
    now, sign = datetime.now(UTC), None if isinstance(key, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)) else 1
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + days[0] * DAY)
        .not_valid_after(now + days[1] * DAY)
    )
    if hosts:
        ip = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        builder = builder.add_extension(x509.SubjectAlternativeName([*map(x509.DNSName, hosts), ip]), critical=False)
    if purpose:
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    made = builder.sign(key, hashes.SHA256() if sign else None)
    locked = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    cert, private = folder / f"{name}.pem", folder / f"{name}.key"
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked))
    fresh = folder / f"{name}.new"
    fresh.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    os.replace(fresh, cert)
    return {"tls_cert": str(cert), "tls_key": str(private)}


@pytest.mark.parametrize(
    "key",
    [P256, ec.generate_private_key(ec.SECP384R1()), rsa.generate_private_key(65537, 2048)],
    ids=["P-256", "P-384", "RSA"],
)
def test_keys_with_which_clients_can_connect(tmp_path: Path, key: Any) -> None:
    files = make(tmp_path, key)
    with running_server(**files) as server, Client(server.address, tls=Tls(files["tls_cert"])) as client:
        assert client.info(timeout=TIMEOUT).engine_version


def text(change: Callable[[bytes], bytes]) -> Callable[[Path], dict[str, str]]:
    """Files whose text is changed."""

    def made(folder: Path) -> dict[str, str]:
        files = make(folder)
        for path in map(Path, files.values()):
            path.write_bytes(change(path.read_bytes()))
        return files

    return made


def marked_twice(content: bytes) -> bytes:
    """As two files with a byte order mark are, one behind the other."""
    return b"\xef\xbb\xbf" + content + b"\xef\xbb\xbf" + content


@pytest.mark.parametrize(
    "change",
    [marked_twice, lambda content: content.replace(b"\n", b"\r\n"), lambda content: b"caf\xc3\xa9\n\n" + content],
    ids=["BOM", "CRLF", "text before"],
)
def test_forms_of_pem(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    files = text(change)(tmp_path)
    with running_server(**files) as server, Client(server.address, tls=Tls(files["tls_cert"])) as client:
        if change is not marked_twice:  # of clients it is not known what they do with it
            assert client.info(timeout=TIMEOUT).engine_version
        trust = Trust(files["tls_cert"], server_name="localhost")
        assert why_not_serving(read_address(server.address), TIMEOUT, trust) == ""


KIND = "RSA with 2048 bits or more, or ECDSA with the curve P-256 or P-384"


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda folder: make(folder, ed25519.Ed25519PrivateKey.generate()), KIND),
        (lambda folder: make(folder, ed448.Ed448PrivateKey.generate()), KIND),
        (lambda folder: make(folder, ec.generate_private_key(ec.SECP521R1())), KIND),
        (lambda folder: make(folder, ec.generate_private_key(ec.SECP256K1())), KIND),
        (lambda folder: make(folder, rsa.generate_private_key(65537, 1024)), "the key is too small"),
        (lambda folder: make(folder, days=(-9, -2)), "certificate has expired"),
        (lambda folder: make(folder, days=(2, 9)), "certificate is not yet valid"),
        (lambda folder: make(folder, password=b"secret"), "server.key: the key is encrypted"),
        (lambda folder: make(folder, purpose=ExtendedKeyUsageOID.CLIENT_AUTH), "unsuitable certificate purpose"),
        (lambda folder: make(folder, hosts=()), "the certificate names no host"),
        (
            lambda folder: make(folder) | {"tls_key": make(folder, rsa_key(), name="b")["tls_key"]},
            "the key does not belong to",
        ),
        (
            lambda folder: make(folder) | {"tls_key": make(folder, other(), name="b")["tls_key"]},
            "the key does not belong to",
        ),
        (lambda folder: make(folder) | {"tls_key": make(folder)["tls_cert"]}, "a private key in PEM is expected"),
        (lambda folder: make(folder) | {"tls_cert": make(folder)["tls_key"]}, "a certificate in PEM is expected"),
        (text(lambda content: content[:200]), "the certificate is damaged"),
        (text(lambda content: b""), "server.pem: it is empty"),
        (text(lambda content: content.decode().encode("utf-16")), "this file contains NUL bytes, as UTF-16 does"),
    ],
)
def test_certificates_that_no_client_would_take(
    tmp_path: Path, made: Callable[[Path], dict[str, str]], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``serve`` and ``config`` tell it before anything listens."""
    files = made(tmp_path)
    with pytest.raises(SecurityError) as told:
        Certificates(Settings(**files))
    assert words in str(told.value)
    assert str(tmp_path) in str(told.value)
    assert cli.main(["config", "--tls-cert", files["tls_cert"], "--tls-key", files["tls_key"]]) == 1
    assert words in capsys.readouterr().err


def rsa_key() -> Any:
    return rsa.generate_private_key(65537, 2048)


def other() -> Any:
    return ec.generate_private_key(ec.SECP256R1())


def test_authorities_of_clients_are_read_before_anything_listens(tmp_path: Path) -> None:
    files, authority = make(tmp_path), tmp_path / "ca.pem"
    for content, words in ((b"", "it is empty"), (b"no", "a certificate in PEM"), (None, "No such file")):
        authority.unlink(missing_ok=True)
        if content is not None:
            authority.write_bytes(content)
        with pytest.raises(SecurityError, match=f"{authority}: .*{words}"):
            Certificates(Settings(**files, tls_client_ca=str(authority)))
    authority.write_bytes(Path(files["tls_cert"]).read_bytes()[:200] + b"\n-----END CERTIFICATE-----\n")
    with pytest.raises(SecurityError, match=f"{authority}: it contains a damaged certificate"):
        Certificates(Settings(**files, tls_client_ca=str(authority)))


def test_authorities_that_have_expired(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Alone they are refused; before their successor of the same name they are left out."""
    name, key = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")]), other()
    now, certificates = datetime.now(UTC), []
    for days in ((-9, -2), (-9, 9)):
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now + days[0] * DAY).not_valid_after(now + days[1] * DAY)
        made = builder.add_extension(x509.BasicConstraints(True, None), critical=True).sign(key, hashes.SHA256())
        certificates.append(made.public_bytes(serialization.Encoding.PEM))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "client")])
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(name).public_key(P256.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - DAY).not_valid_after(now + DAY)
    client, authority = make(tmp_path, name="client"), tmp_path / "ca.pem"
    Path(client["tls_cert"]).write_bytes(
        builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)  # vouched for by the authority
    )
    files = make(tmp_path) | {"tls_client_ca": str(authority)}
    authority.write_bytes(certificates[0])
    with pytest.raises(SecurityError, match=f"{authority}: it contains no certificate that is valid today"):
        Certificates(Settings(**files))
    authority.write_bytes(b"# old\n" + certificates[0] + b"# new\n" + certificates[1])
    with running_server(**files) as server:
        trust = Trust(files["tls_cert"], client["tls_cert"], client["tls_key"])
        assert why_not_serving(read_address(server.address), TIMEOUT, trust) == ""
    assert f"file {authority}: 1 certificates are not valid today and are ignored" in caplog.messages


def test_failed_readings_are_seen_at_once_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without a call or a handshake; what was proven before stays in force."""
    files, keys = make(tmp_path), tmp_path / "keys.toml"
    keys.write_text("", encoding="utf-8")

    with running_server(**files, keys_file=str(keys)) as server, caplog.at_level(logging.INFO):

        def count(file: str, result: str) -> float | None:
            labels = {"file": file, "result": result}
            return server.server.metrics.registry.get_sample_value("sniffai_reloads_total", labels)

        assert [count("tls", "failed"), count("keys", "failed"), count("keys", "ok")] == [0, 0, 0]
        make(tmp_path, ed25519.Ed25519PrivateKey.generate())
        keys.write_text("[alice]\n", encoding="utf-8")
        wait_until(lambda: (count("tls", "failed") or 0) > 0 and (count("keys", "failed") or 0) > 0)
        messages = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
        assert any(
            message.startswith("tls: cannot be used, the previous version stays in force: file ")
            for message in messages
        )
        assert any("alice.hash" in message for message in messages)
        trust = Trust(files["tls_cert"], server_name="localhost")
        assert "not trusted" in why_not_serving(read_address(server.address), TIMEOUT, trust)  # the old one is served
        make(tmp_path)
        keys.write_text("# none", encoding="utf-8")
        wait_until(lambda: (count("tls", "ok") or 0) > 0 and count("keys", "ok") == 1)
        assert why_not_serving(read_address(server.address), TIMEOUT, trust) == ""
        failed = count("keys", "failed")
        server.server.reloads.force()
        wait_until(lambda: count("keys", "ok") == 2)
        assert count("keys", "failed") == failed
        assert any("0 API keys, unchanged" in record.getMessage() for record in caplog.records)


def test_many_handshakes_at_once_while_a_certificate_is_replaced(tmp_path: Path) -> None:
    """Each has the old certificate or the new one; none fails, and none waits for the proof of another."""
    authority, trusted = trustme.CA(), tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    files = {"tls_cert": str(tmp_path / "server.pem"), "tls_key": str(tmp_path / "server.key")}

    def issue() -> None:
        made = authority.issue_cert("127.0.0.1")
        made.private_key_pem.write_to_path(files["tls_key"])
        made.cert_chain_pems[0].write_to_path(files["tls_cert"])

    async def ask_all(address: str) -> list[str]:
        ask = partial(asyncio.to_thread, why_not_serving, read_address(address), TIMEOUT, Trust(trusted))
        return await asyncio.gather(*(ask() for _ in range(20)))

    issue()
    with running_server(**files) as server:
        for _ in range(3):
            issue()
            assert asyncio.run(ask_all(server.address)) == [""] * 20


def test_connection_errors_name_the_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told by ``health`` in the words of settings, by the command line in those of its flags."""
    files = make(tmp_path)
    stranger = make(tmp_path, other(), name="stranger")["tls_cert"]
    client = make(tmp_path, other(), name="client")
    mine = files["tls_cert"]
    causes = [
        ("plain", ["--health-ca", mine], ["--tls-ca", mine], "it does not speak TLS: leave out"),
        ("tls", [], [], "it speaks TLS: "),
        ("tls", ["--health-ca", stranger], ["--tls-ca", stranger], "its certificate is not trusted: "),
        (
            "tls",
            ["--health-ca", mine, "--health-name", "x.example"],
            None,
            "another name than x.example: set health_name",
        ),
        ("mutual", ["--health-ca", mine], ["--tls-ca", mine], "it asks for a client certificate, and none is shown: "),
        (
            "mutual",
            ["--health-ca", mine, "--health-cert", client["tls_cert"], "--health-key", client["tls_key"]],
            ["--tls-ca", mine, "--tls-cert", client["tls_cert"], "--tls-key", client["tls_key"]],
            "it does not accept the client certificate that is shown: ",
        ),
    ]
    with (
        running_server() as plain,
        running_server(**files) as secure,
        running_server(**files, tls_client_ca=stranger) as mutual,
    ):
        servers = {"plain": plain, "tls": secure, "mutual": mutual}
        for name, settings, flags, words in causes:
            address = servers[name].address
            assert cli.main(["health", "--address", address, "--timeout", "2", *settings]) == 1
            assert words in capsys.readouterr().err
            if flags is not None:
                assert run(["info", "--server", address, *flags]) == 1
                assert words in capsys.readouterr().err


def test_files_of_the_probe_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "junk").write_text("junk", encoding="utf-8")
    locked = make(tmp_path, password=b"secret", name="locked")
    ask = ["health", "--address", "127.0.0.1:1", "--timeout", "1"]
    for flags, words in (
        (["--health-ca", str(tmp_path / "junk")], "junk: a certificate in PEM is expected"),
        (["--health-ca", str(tmp_path / "none")], "none: No such file"),
        (
            ["--health-ca", locked["tls_cert"], "--health-cert", locked["tls_cert"], "--health-key", locked["tls_key"]],
            "locked.key: the key is encrypted",
        ),
    ):
        assert cli.main([*ask, *flags]) == 1
        assert words in capsys.readouterr().err
