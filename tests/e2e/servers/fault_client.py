"""A client to be cancelled, stopped and killed: one call by bytes, then, at a word, a second one.

It tells what becomes of each as a line of JSON. It needs nothing but gRPC, so that it starts quickly.
"""

import contextlib
import json
import queue
import sys
import threading
from typing import Any

import grpc


def main() -> None:
    """Make the calls that the first argument describes, as the words on standard input say."""
    asked = json.loads(sys.argv[1])
    words: queue.Queue[str] = queue.Queue()
    with grpc.insecure_channel(asked["address"]) as channel:
        method = channel.unary_stream(asked["method"])
        call = method(bytes.fromhex(asked["request"]), timeout=asked["timeout"], wait_for_ready=True)
        threading.Thread(target=listen, args=(call, words), daemon=True).start()
        tell(call)
        while words.get() == "again":
            tell(method(bytes.fromhex(asked["again"]), timeout=asked["timeout"], wait_for_ready=True))


def listen(call: Any, words: "queue.Queue[str]") -> None:
    """Pass words on; the word to cancel is heeded at once."""
    for line in sys.stdin:
        if line.strip() == "cancel":
            call.cancel()
        else:
            words.put(line.strip())
    words.put("")


def tell(call: Any) -> None:
    """How a call ended, with its answers."""
    answers = []
    with contextlib.suppress(grpc.RpcError):
        answers += [answer.hex() for answer in call]
    print(json.dumps({"code": call.code().name, "message": call.details(), "answers": answers}), flush=True)


if __name__ == "__main__":
    main()
