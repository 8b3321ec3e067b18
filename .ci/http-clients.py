#!/usr/bin/env python3
"""Clients that load a service while another client measures it. Needs only the standard library.

  http-clients.py probe URL SECONDS
      Requests URL every 100 ms on a new connection. Exits with 1 unless each response is a 200 within 1 s.
  http-clients.py unread PORT PID
      For a key, a wrong key and /livez: 300 connections send 3,000 pipelined requests each, and never read. The service must
      close all of them.
  http-clients.py connect PORT
      Opens 2,000 connections a second, with a request on each.

`unread` and `connect` measure another client that lists animals with the key PETSTORE_KEY. If the machine is too busy, they try again,
three times at most.
"""

import os
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from multiprocessing import Event, Pipe, Process

CONNECTIONS, PIPELINED = 300, 3_000
CONNECTS_A_SECOND, CONNECT_SECONDS = 2_000, 4
MOST_P50_MS, MOST_P99_MS = 5, 50
LONGEST_S = 30
MOST_RSS_MB, MOST_KERNEL_MB = 320, 120
TRIES = 3


def main(command, *arguments):
    if command == "probe":
        probe(arguments[0], float(arguments[1]))
    elif command == "unread":
        port, pid = int(arguments[0]), int(arguments[1])
        for name, path, key in (
            ("with a key", "/v1/pets", os.environ["PETSTORE_KEY"]),
            ("with a wrong key", "/v1/pets", "0123456789abcdef0123"),
            ("on /livez", "/livez", None),
        ):
            attempt(f"{CONNECTIONS} connections {name} that never read", lambda: unread(port, pid, path, key))
    elif command == "connect":
        attempt(f"{CONNECTS_A_SECOND} new connections a second", lambda: connect(int(arguments[0])))
    else:
        sys.exit(__doc__)


def attempt(name, check):
    """Prints the figures of the check. Exits with 1 if each attempt finds a fault."""
    for _ in range(TRIES):
        figures, faults = check()
        print(f"{name}: {figures}", flush=True)
        if not faults:
            return
        print(f"{name}: {'; '.join(faults)}", file=sys.stderr, flush=True)
    sys.exit(1)


def request(path, key=None, connection="keep-alive"):
    authorization = f"Authorization: Bearer {key}\r\n" if key else ""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: {connection}\r\n{authorization}\r\n".encode()


def probe(url, seconds):
    tls = ssl._create_unverified_context()
    # Java compiles what the first requests run.
    for _ in range(20):
        urllib.request.urlopen(url, timeout=10, context=tls).close()
    end = time.monotonic() + seconds
    count, slowest = 0, 0.0
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            with urllib.request.urlopen(url, timeout=1, context=tls) as response:
                response.read()
        except OSError as error:
            sys.exit(f"probe {count} of {url} failed after {time.monotonic() - began:.1f} s: {error}")
        took = time.monotonic() - began
        count, slowest = count + 1, max(slowest, took)
        if took > 1:
            sys.exit(f"probe {count} of {url} took {took:.1f} s")
        time.sleep(max(0.0, 0.1 - took))
    print(f"{count} probes of {url}: slowest {slowest * 1000:.0f} ms")


class OtherClient:
    """Lists animals on one connection, in a process of its own."""

    def __init__(self, port):
        self.stop = Event()
        self.result, theirs = Pipe(duplex=False)
        self.process = Process(target=self.run, args=(port, theirs), daemon=True)
        self.process.start()

    def run(self, port, result):
        wanted = request("/v1/pets?limit=10", os.environ["PETSTORE_KEY"])
        took, failed = [], 0
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            while not self.stop.is_set():
                began = time.perf_counter()
                try:
                    connection.sendall(wanted)
                    failed += not read_response(connection).startswith(b"HTTP/1.1 200 ")
                except OSError:
                    failed += 1
                    break
                took.append((time.perf_counter() - began) * 1000)
                time.sleep(0.002)
        result.send((took, failed))

    def figures(self):
        """Returns p50 and p99 in milliseconds, the number of requests, and that of failed ones."""
        self.stop.set()
        took, failed = self.result.recv()
        self.process.join()
        took.sort()
        return took[len(took) // 2], took[len(took) * 99 // 100], len(took), failed


def read_response(connection):
    received = b""
    while b"\r\n\r\n" not in received:
        received += read_some(connection)
    head, body = received.split(b"\r\n\r\n", 1)
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += read_some(connection)
    return head


def read_some(connection):
    part = connection.recv(65536)
    if not part:
        raise ConnectionError("closed")
    return part


class Memory(threading.Thread):
    """The most memory of a process and of its sockets, sampled."""

    def __init__(self, port, pid):
        super().__init__(daemon=True)
        self.port, self.pid = port, pid
        self.rss, self.kernel, self.done = 0.0, 0.0, threading.Event()
        self.start()

    def run(self):
        while not self.done.wait(0.25):
            with open(f"/proc/{self.pid}/statm") as statm:
                self.rss = max(self.rss, int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)
            sockets = subprocess.run(["ss", "-tmnH", "sport", f"= :{self.port}"], capture_output=True, text=True, check=True)
            self.kernel = max(self.kernel, sum(map(socket_bytes, sockets.stdout.split("skmem:(")[1:])) / 1e6)

    def end(self):
        self.done.set()
        self.join()


def socket_bytes(skmem):
    """Returns the bytes that a socket has allocated to receive, to send, and in advance."""
    values = {name.rstrip("0123456789"): name for name in skmem.split(")")[0].split(",")}
    return sum(int(values[name][len(name):]) for name in ("r", "w", "f"))


def unread(port, pid, path, key):
    other, memory = OtherClient(port), Memory(port, pid)
    poll, sockets, rest = select.epoll(), {}, {}
    for _ in range(CONNECTIONS):
        connection = socket.socket()
        connection.connect(("127.0.0.1", port))
        connection.setblocking(False)
        sockets[connection.fileno()] = connection
        rest[connection.fileno()] = memoryview(request(path, key) * PIPELINED)
        poll.register(connection, select.EPOLLOUT | select.EPOLLRDHUP)
    began = time.monotonic()
    while sockets and time.monotonic() < began + LONGEST_S:
        for descriptor, events in poll.poll(1):
            try:
                if events & ~select.EPOLLOUT:
                    raise ConnectionError("closed")
                rest[descriptor] = rest[descriptor][sockets[descriptor].send(rest[descriptor]):]
                if not rest[descriptor]:
                    poll.modify(descriptor, select.EPOLLRDHUP)
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(descriptor)
                sockets.pop(descriptor).close()
    seconds = time.monotonic() - began
    left = len(sockets)
    for connection in sockets.values():
        connection.close()
    memory.end()
    figures, faults = judge(*other.figures())
    figures += f", RSS {memory.rss:.0f} MB, sockets {memory.kernel:.0f} MB, all closed after {seconds:.1f} s"
    if memory.rss > MOST_RSS_MB:
        faults.append(f"RSS is over {MOST_RSS_MB} MB")
    if memory.kernel > MOST_KERNEL_MB:
        faults.append(f"the memory of the sockets is over {MOST_KERNEL_MB} MB")
    if left:
        faults.append(f"{left} connections are still open")
    return figures, faults


def connect(port):
    other = OtherClient(port)
    sent = request("/livez", connection="close")
    poll, sockets, opened, answered, failed = select.epoll(), {}, 0, 0, 0
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < CONNECT_SECONDS or (sockets and elapsed < CONNECT_SECONDS + 5):
        for _ in range(int(min(elapsed, CONNECT_SECONDS) * CONNECTS_A_SECOND) - opened):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", port))
            sockets[connection.fileno()] = connection
            poll.register(connection, select.EPOLLOUT)
            opened += 1
        if opened < CONNECTS_A_SECOND * CONNECT_SECONDS:
            opening = time.monotonic() - began
        for descriptor, events in poll.poll(0.001):
            try:
                if events & select.EPOLLIN:
                    answered += sockets[descriptor].recv(4096).startswith(b"HTTP/1.1 200 ")
                    poll.unregister(descriptor)
                    sockets.pop(descriptor).close()
                else:
                    sockets[descriptor].sendall(sent)
                    poll.modify(descriptor, select.EPOLLIN)
            except OSError:
                failed += 1
                poll.unregister(descriptor)
                sockets.pop(descriptor).close()
    rate = opened / opening
    figures, faults = judge(*other.figures())
    if answered < opened:
        faults.append(f"{opened - answered} of {opened} new connections have no 200")
    return f"{figures}, {rate:.0f} connections a second", faults


def judge(p50, p99, count, failed):
    faults = []
    if p50 > MOST_P50_MS:
        faults.append(f"p50 is over {MOST_P50_MS} ms")
    if p99 > MOST_P99_MS:
        faults.append(f"p99 is over {MOST_P99_MS} ms")
    if failed:
        faults.append(f"{failed} requests of the other client failed")
    return f"p50 {p50:.1f} ms, p99 {p99:.1f} ms of {count} requests of another client", faults


if __name__ == "__main__":
    main(*sys.argv[1:])
