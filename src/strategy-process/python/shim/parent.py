"""The program of a warm parent: it loads what strategies import, and makes a copy of itself for each strategy's process.

A copy shares that memory and is there within milliseconds. It runs no text of a strategy itself. Messages come in on descriptor 3 and go out on 4:
what is to be copied, and which copy has ended how.
"""

import gc
import os
import select
import signal
import socket
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from shim import later, walls, wire  # noqa: E402


def _load(names):
    """Imports modules, as far as they are there: what fails fails again where a strategy imports it, and is reported there."""
    for name in names:
        try:
            later.load(name)
        except BaseException:
            pass


def _connect(path):
    asked = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    asked.connect(path)
    for descriptor in (3, 4):
        os.dup2(asked.fileno(), descriptor)
    asked.close()


def _open_pipes(folder):
    for name, flags, descriptor in (("asks", os.O_RDONLY, 3), ("says", os.O_WRONLY, 4)):
        opened = os.open(os.path.join(folder, name), flags)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.write(4, b"\0")  # it is there: whoever has made the pipes closes the ends that are not theirs


def _serve_as_copy(wanted, wake):
    """What a copy does: it answers at the socket or the pipes it was made for, behind walls of its own."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in wake:
        os.close(descriptor)
    if "pipes" in wanted:
        _open_pipes(wanted["pipes"])
    else:
        _connect(wanted["socket"])
    os.chdir(wanted["folder"])
    os.environ["HOME"] = wanted["folder"]
    walls.build(wanted["memoryMb"])
    from shim.serving import serve

    serve()


def _copy(wanted, wake):
    _load([*wanted["imports"], "shim.answers"])
    gc.collect()
    # The search for garbage writes to all it goes over, and what is written to is not shared any more. So it goes over what is new only, here too:
    # what the parent writes to is lost to all copies that were made before.
    gc.freeze()
    copy = os.fork()
    if copy == 0:
        try:
            _serve_as_copy(wanted, wake)
        finally:
            os._exit(1)
    wire.write(4, {"id": wanted["id"], "pid": copy})


def _report_ended():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        by_signal = os.WIFSIGNALED(status)
        how = {"code": None, "signal": signal.Signals(os.WTERMSIG(status)).name} if by_signal else {"code": os.WEXITSTATUS(status), "signal": None}
        wire.write(4, {"ended": pid, **how})


def main():
    walls.end_with_the_product()
    later.begin()
    wake = os.pipe()
    for descriptor in wake:
        os.set_blocking(descriptor, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake[1], warn_on_full_buffer=False)
    while True:
        ready, _, _ = select.select([3, wake[0]], [], [])
        if wake[0] in ready:
            os.read(wake[0], 4096)
            _report_ended()
        if 3 in ready:
            message = wire.read(3)
            if message is None:
                os._exit(0)
            _copy(message[0], wake)


main()
