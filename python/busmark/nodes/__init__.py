"""Other machines, reached by a command prefix: `ssh host`, `kubectl exec -i pod --`, `srun …`."""

from busmark.nodes.node import Node, Nodes, end_there
from busmark.nodes.shell import NodeDown
from busmark.nodes.site import Address

__all__ = ["Address", "Node", "NodeDown", "Nodes", "end_there"]
