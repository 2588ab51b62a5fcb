"""``sniffai play --server``: the same game at a match that a server hosts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

import click

from sniffai.cli.parts import BadInput
from sniffai.cli.remote import Remote
from sniffai.cli.saver import save_new
from sniffai.cli.signs import complain
from sniffai.cli.table_words import player_name
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_folded
from sniffai.cli.tickets import MATCH_ID, SECRET, Ticket, Tickets
from sniffai.explain.languages import Words
from sniffai.play.match import HUMAN
from sniffai.records.matchfile import format_match
from sniffai.search.params import Limits

if TYPE_CHECKING:
    from sniffai.client import ServiceError
    from sniffai.client.hosted_table import HostedTable
    from sniffai.v1 import match_service_pb2 as pb

PAGE: Final = 100
"""Matches that one call lists."""
LEVEL: Final = "level:"


@dataclass(frozen=True)
class NewMatch:
    """A match that is to be created."""

    seats: tuple[str, ...]
    """By seat: a level, or :data:`~sniffai.play.match.HUMAN`."""
    seat: int
    """The player's own."""
    scores: tuple[int, ...]
    seed: int | None
    practice: bool
    limits: Limits | None
    """Of levels without limits of their own."""

    @property
    def alone(self) -> bool:
        """Whether nobody else plays."""
        return self.seats.count(HUMAN) == 1


class HostedPlay:
    """A player at a server.

    :param say: the player's language.
    :param name: shown to the other seats; ``""`` for none.
    """

    def __init__(self, remote: Remote, say: Words, name: str) -> None:
        self._remote, self._say, self._name = remote, say, name
        self._tickets = Tickets(remote.address)
        self._token = ""
        """Of this player, once it is needed."""

    # Seats

    def create(self, new: NewMatch) -> Ticket:
        """Create a match and take one's seat.

        :raises ClickException: the server refuses it, or cannot be reached.
        """
        player = self._player()
        response = self._remote.ask(
            lambda client: client.create_match(
                new.seats,
                scores=new.scores,
                seed=new.seed,
                hints=new.alone,
                practice=new.practice,
                level_limits=new.limits,
                player_token=player,
            )
        )
        invitations = {message.seat: message.invitation for message in response.invitations}
        own = invitations.pop(new.seat)
        others = {str(seat): invitation for seat, invitation in invitations.items()}
        ticket = Ticket(_match_id(response.match_id), new.seat, invitation=own, others=others)
        self._keep(ticket)
        return self._take_seat(ticket)

    def join(self, invitation: str) -> Ticket:
        """Take the seat of an invitation.

        :raises ClickException: the server refuses it, or cannot be reached.
        """
        match_id, _, secret = invitation.strip().partition(".")
        if not (MATCH_ID.fullmatch(match_id) and SECRET.fullmatch(secret)):
            raise BadInput("--join: an invitation is expected, as the other player's terminal shows it")
        return self._take_seat(Ticket(match_id, -1, invitation=secret))

    def resume(self, match_id: str, seat: int | None) -> Ticket:
        """Go back to one's seat.

        :raises BadInput: there is no such match here.
        """
        ticket = self._tickets.find(match_id, seat)
        return ticket if ticket.seat_token else self._take_seat(ticket)

    def _take_seat(self, ticket: Ticket) -> Ticket:
        player = self._player()
        taken = self._remote.ask(
            lambda client: client.join_match(
                ticket.match_id, ticket.invitation, name=self._name or None, player_token=player
            )
        )
        ticket = replace(ticket, seat=taken.view.seat, seat_token=taken.seat_token, invitation="")
        self._keep(ticket)
        return ticket

    def _keep(self, ticket: Ticket) -> None:
        """Keep a ticket; where that fails, the match can be played, but not left."""
        self._kept(lambda: self._tickets.keep(ticket))

    def _player(self) -> str:
        """The token of this player, kept before a server learns of it."""
        from sniffai.client import make_player_token

        self._token = token = self._token or self._tickets.player_token()
        if not token:
            self._token = token = make_player_token()
            self._kept(lambda: self._tickets.keep_player(token))
        return token

    def _kept(self, keep: Callable[[], None]) -> None:
        try:
            keep()
        except OSError as error:
            why = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
            complain(self._say.say("Your seat cannot be kept: {reason}. Do not leave before the end.", reason=why))

    # Play

    def play(self, ticket: Ticket, start: Callable[["HostedTable", "HostedKeeper"], int]) -> int:
        """Play at a seat. Returns the exit status.

        :param start: plays at a table.
        :raises ClickException: the server refuses something.
        """
        from sniffai.client import ServiceError
        from sniffai.client.hosted_table import HostedTable
        from sniffai.client.patience import PatientClient

        onlooker = Onlooker(self._say)
        client = PatientClient(self._remote.connect, onlooker)
        try:
            table = HostedTable(client, ticket.match_id, ticket.seat_token, onlooker)
            return start(table, HostedKeeper(self._remote.address, ticket, table, self._say))
        except ServiceError as error:
            raise self._remote.failure(error) from None
        finally:
            client.close()

    def invite(self, table: "HostedTable", ticket: Ticket) -> None:
        """Say how other people join."""
        address, missing = self._remote.address, set(table.missing())
        for seat, invitation in ticket.others.items():
            if int(seat) in missing:
                tell_folded(self._say.say("Invitation to seat {seat}, for one person, once:", seat=int(seat)))
                tell(f"  {ticket.match_id}.{invitation}")
                tell_folded(
                    self._say.say("To join: sniffai play --server {address} --join INVITATION", address=address)
                )

    # Lists

    def list_matches(self) -> int:
        """Print the player's matches, newest first."""
        player, say = self._tickets.player_token(), self._say
        if not player:
            tell_folded(say.say("You have no matches with this server."))
            return 0
        made = text_table(
            say.say("match"),
            say.say("seat") + ">",
            say.say("others"),
            say.say("scores") + ">",
            say.say("status"),
            say.say("changed") + "?",
        )
        for summary in self._pages(player):
            made.add_row(*self._row(summary))
        show(made)
        tell_folded(say.say("To go on: sniffai play --server {address} --resume MATCH", address=self._remote.address))
        return 0

    def _pages(self, player: str) -> "Iterator[pb.MatchSummary]":
        answer = self._page(player, None)
        yield from answer.matches
        while answer.next_page_token:
            answer = self._page(player, answer.next_page_token)
            yield from answer.matches

    def _page(self, player: str, token: str | None) -> "pb.ListMatchesResponse":
        return self._remote.ask(lambda client: client.list_matches(player, page_size=PAGE, page_token=token))

    def _row(self, summary: "pb.MatchSummary") -> tuple[str, ...]:
        own = set(self._tickets.seats(summary.match_id)) & set(summary.own_seats)
        others = ", ".join(
            player_name(LEVEL + seat.level, self._say) if seat.level else seat.name or self._say.say("another person")
            for number, seat in enumerate(summary.seats)
            if number not in summary.own_seats
        )
        changed = summary.update_time.ToDatetime(UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        seats = " ".join(map(str, sorted(own))) or "–"
        scores = " ".join(map(str, summary.scores))
        return summary.match_id, seats, others, scores, _status(summary.status, self._say), changed


class Onlooker:
    """Tells the player what happens while the table waits: a :class:`sniffai.client.hosted_table.Onlooker`."""

    def __init__(self, say: Words) -> None:
        self._say = say

    def lost(self, error: "ServiceError") -> None:
        """The connection is lost."""
        tell_folded(self._say.say("No answer from the server. Trying again; Ctrl-C leaves."))

    def back(self) -> None:
        """It is back."""
        tell_folded(self._say.say("The server answers again."))

    def waits(self, seat: int | None) -> None:
        """It takes a while."""
        if seat is None:
            tell_folded(self._say.say("Waiting for others to join."))
        else:
            tell_folded(self._say.say("Waiting for seat {seat}.", seat=seat))

    def joined(self, seat: int, name: str) -> None:
        """Somebody has taken a seat."""
        if name:
            tell_folded(self._say.say("Seat {seat} has joined: {name}.", seat=seat, name=name))
        else:
            tell_folded(self._say.say("Seat {seat} has joined.", seat=seat))


class HostedKeeper:
    """A match that its server keeps: a :class:`sniffai.cli.saver.Keeper`."""

    status = 0

    def __init__(self, address: str, ticket: Ticket, table: "HostedTable", say: Words) -> None:
        self._address, self._ticket, self._table, self._say = address, ticket, table, say

    def begin(self) -> None:
        """See :class:`~sniffai.cli.saver.Keeper`."""
        tell_folded(self._say.say("Match {match}", match=self._ticket.match_id))

    def changed(self) -> None:
        """See :class:`~sniffai.cli.saver.Keeper`."""

    def leave(self) -> None:
        """See :class:`~sniffai.cli.saver.Keeper`."""

    def save(self, path: str) -> None:
        """See :class:`~sniffai.cli.saver.Keeper`. What can be saved is the record of a match that is over."""
        if path or self._over:
            self._save_record(path)
            return
        tell_folded(self._say.say("The server keeps the match. To go on:"))
        tell(f"  sniffai play --server {self._address} --resume {self._ticket.match_id}")

    @property
    def _over(self) -> bool:
        return not self._table.missing() and self._table.situation().match_over

    def _save_record(self, path: str) -> None:
        record = self._table.record() if self._over else None
        if record is None:
            tell_folded(self._say.say("The record can be saved once the match is over."))
        else:
            self.status = save_new(format_match(record), path, self._say)


def _status(status: Any, say: Words) -> str:
    from sniffai.v1 import match_service_pb2 as pb

    known = {
        pb.MATCH_STATUS_WAITING: say.say("waits for players"),
        pb.MATCH_STATUS_PLAYING: say.say("in play"),
        pb.MATCH_STATUS_FINISHED: say.say("finished"),
        pb.MATCH_STATUS_RESIGNED: say.say("given up"),
        pb.MATCH_STATUS_EXPIRED: say.say("expired"),
    }
    return known.get(status, str(status))


def _match_id(text: str) -> str:
    """The id of a match, as a server names it: part of a file's name.

    :raises ClickException: it is none.
    """
    if not MATCH_ID.fullmatch(text):
        raise click.ClickException("the server's answer names no match")
    return text
