"""What a strategy is kept from: walls against accidents, as files are the server owner's own code."""

import ctypes
import os
import resource
import signal
import sys

_refused = {
    "os.fork": "starts another process",
    "os.forkpty": "starts another process",
    "os.posix_spawn": "starts another process",
    "os.exec": "starts another program",
    "os.system": "starts another program",
    "subprocess.Popen": "starts another program",
    "socket.connect": "uses the network",
    "socket.getaddrinfo": "uses the network",
    "socket.sendto": "uses the network",
    "os.kill": "ends processes",
    "os.killpg": "ends processes",
}


def build(memory_mb):
    """Limits this process. Memory in MB; 0 is without a limit."""
    end_with_the_product()
    if memory_mb > 0:
        limit = memory_mb * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A copy of the process that comes about all the same must not answer in its place.
    os.register_at_fork(after_in_child=lambda: (os.close(3), os.close(4)))
    sys.addaudithook(_refuse)


def _refuse(event, _arguments):
    what = _refused.get(event)
    if what is not None:
        # As the system refuses: what can go on without goes on.
        raise PermissionError(f"it {what}, which a strategy may not")


def end_with_the_product():
    """Ends this process with the one that started it. The product may be killed: then nothing must go on computing for nobody."""
    set_death_signal = 1
    try:
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # another system than Linux: the end of the questions ends it
