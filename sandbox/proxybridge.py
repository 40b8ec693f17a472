"""Carries connections out of a container that has no network.

Listens on the loopback of the container, where HTTP_PROXY points to, and passes
each connection on as a stream over standard input and output, in the protocol
of github.com/hashicorp/yamux (its spec.md), of which this is the side that opens
streams. One thread, because threads count against the container's limit on
processes. Ends when standard input does.
"""
import os
import selectors
import socket
import struct
import sys

DATA, WINDOW, PING, GOAWAY = range(4)  # types of frames
SYN, ACK, FIN, RST = 1, 2, 4, 8  # their flags
ROOM = 256 << 10  # bytes that a side may send before it is told to go on; fixed by the protocol
PIECE = 32 << 10  # bytes of a frame: streams take turns
HEADER = struct.Struct(">BBHII")  # version, type, flags, stream, length

selector = selectors.DefaultSelector()
streams = {}


def frame(kind, flags, stream, length, data=b""):
    rest = memoryview(HEADER.pack(0, kind, flags, stream, length) + data)
    while rest:
        rest = rest[os.write(1, rest):]


class Stream:
    def __init__(self, number, client):
        self.number, self.client = number, client
        self.room = ROOM  # what may still be sent to the other side
        self.taken = 0  # bytes that the client took and the other side does not know of
        self.pending = bytearray()  # what the client is still to take
        self.client_ended = self.other_ended = self.shut = self.gone = False
        client.setblocking(False)
        streams[number] = self
        frame(WINDOW, SYN, number, 0)
        self.listen()

    def listen(self):
        """Waits for what can go on: the client to read from, or to write to."""
        events = selectors.EVENT_READ if self.room and not self.client_ended else 0
        if self.pending:
            events |= selectors.EVENT_WRITE
        known = self.client in selector.get_map()
        if events and known:
            selector.modify(self.client, events, self)
        elif events:
            selector.register(self.client, events, self)
        elif known:
            selector.unregister(self.client)

    def ready(self, events):
        try:
            if events & selectors.EVENT_READ:
                self.read()
            self.write()
        except BlockingIOError:
            pass
        except OSError:
            frame(WINDOW, RST, self.number, 0)
            self.end()
            return
        self.settle()

    def read(self):
        data = self.client.recv(min(self.room, PIECE))
        if data:
            self.room -= len(data)
            frame(DATA, 0, self.number, len(data), data)
        else:
            self.client_ended = True
            frame(WINDOW, FIN, self.number, 0)

    def write(self):
        if self.pending:
            count = self.client.send(self.pending)
            del self.pending[:count]
            self.taken += count
        if self.taken >= ROOM // 2:
            frame(WINDOW, 0, self.number, self.taken)
            self.taken = 0
        if self.other_ended and not self.pending and not self.shut:
            self.shut = True
            self.client.shutdown(socket.SHUT_WR)

    def settle(self):
        if self.client_ended and self.shut:
            self.end()
        else:
            self.listen()

    def end(self):
        if self.client in selector.get_map():
            selector.unregister(self.client)
        self.client.close()
        self.gone = True
        streams.pop(self.number, None)

    def take(self, flags, length, data):
        """Takes a frame of the other side."""
        if flags & RST:
            self.end()
            return
        if data:
            self.pending += data
        else:
            self.room += length
        if flags & FIN:
            self.other_ended = True
        self.ready(0)


class Link:
    """What comes from the other side."""

    gone = False

    def __init__(self):
        self.buffer = bytearray()

    def ready(self, _):
        data = os.read(0, 256 << 10)
        if not data:
            sys.exit(0)
        self.buffer += data
        while len(self.buffer) >= HEADER.size:
            _, kind, flags, number, length = HEADER.unpack_from(self.buffer)
            end = HEADER.size + (length if kind == DATA else 0)
            if len(self.buffer) < end:
                return
            data = bytes(self.buffer[HEADER.size:end])
            del self.buffer[:end]
            if kind == PING and flags & SYN:
                frame(PING, ACK, 0, length)
            elif kind == GOAWAY:
                sys.exit(0)
            elif number in streams:
                streams[number].take(flags, 0 if kind == DATA else length, data)


class Door:
    """Where the clients connect."""

    gone = False

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", port), backlog=128)
        self.number = -1

    def ready(self, _):
        client, _ = self.listener.accept()
        self.number += 2
        Stream(self.number, client)


door = Door(int(sys.argv[1]))
selector.register(door.listener, selectors.EVENT_READ, door)
selector.register(0, selectors.EVENT_READ, Link())
while True:
    for key, events in selector.select():
        if not key.data.gone:  # by what came before it in this list
            key.data.ready(events)
