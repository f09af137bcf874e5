"""Other machines, reached by a command prefix: `ssh host`, `kubectl exec -i pod --`, `srun …`."""

from busmark.nodes.address import Address
from busmark.nodes.node import Node
from busmark.nodes.nodes import Nodes, end_there
from busmark.nodes.shell import NodeDown

__all__ = ["Address", "Node", "NodeDown", "Nodes", "end_there"]
