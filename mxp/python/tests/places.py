"""Addresses of servers of this machine."""

import sys


def local(folder, name="s"):
    """The address of a socket in a folder; where the system has none, of a named pipe, whose name has the folder's."""
    if sys.platform == "win32":
        return f"mxp+pipe://{folder.parent.name}-{folder.name}-{name}"
    return f"mxp+unix://{folder}/{name}.sock"


def shared(folder, name="s"):
    """Such an address as one of shared memory."""
    return local(folder, name).replace("mxp+unix", "mxp+shm").replace("mxp+pipe", "mxp+shm")


NOBODY = "mxp+pipe://mxp-nobody" if sys.platform == "win32" else "mxp+unix:///tmp/mxp-nobody.sock"
"""An address at which nobody listens."""
