"""The background loads of a case."""

from __future__ import annotations

from busmark.control.companions.companion import Companion, Stage
from busmark.control.places import ParticipantPlace
from busmark.control.waiting import in_thread
from busmark.errors import RoundError, UserError
from busmark.load import TOOLS, Load, LoadSite, Running, here, parse
from busmark.nodes import Node


class Loads(Companion):
    """Loads, where they run and while they do."""

    name = "loads"
    span = "measurement"

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        # By themselves they end when nobody can have been waiting for them any more.
        length = stage.params.warmup_s + stage.params.length_s
        limit_s = 10 * (length + stage.scenario.run.hang_s)
        self._running = Running(parse(stage.params.load or ""), stage.folder, limit_s)

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Return whether the case has any."""
        return bool(stage.params.load)

    async def start(self) -> None:
        """Start the loads, and wait until each is seen to load."""
        try:
            await in_thread(self._running.start, self._sites)
        except UserError as error:
            # This round only: another may be without load.
            raise RoundError("load", error.message) from None

    def _sites(self, load: Load) -> list[LoadSite]:
        params, places, folder = self.stage.params, self.stage.places, self.stage.folder
        if params.network == "nodes":
            occupied = [seat.place for seat in self.stage.seats]
            return [site_of(place) for place in places.loaded(params, load, occupied)]
        if load.kind != "net":
            return [here(folder)]
        return [here(folder, *way) for way in places.around(params)]

    async def stop(self) -> None:
        """End the loads; store the level that each achieved, in the unit in which it was asked for.

        Raises:
            Killed: one had ended before.
            RoundError: one did nothing while it was measured.
        """
        achieved = await in_thread(self._running.stop)
        for load in self._running.loads:
            if achieved[load.kind] == 0:
                tool = TOOLS[load.kind]
                raise RoundError("load", f"{tool} did nothing while it was measured ({load.asked})")
        self.stage.data.loads, self.stage.data.load_on = achieved, self._running.on

    async def kill(self) -> list[tuple[Node, int]]:
        """End the loads at once. Those on nodes are ended by the shell that has them."""
        await in_thread(self._running.kill)
        return []


def site_of(place: ParticipantPlace) -> LoadSite:
    """Return a node of the user's as a site for loads."""
    node = place.node
    assert node is not None
    return LoadSite(
        node.run_dir,
        node.command,
        node.facts.profile["cpus_online"],
        place.address,
        node.name,
        node.patience_s,
    )
