"""What keys of a scenario must have in common: every check is made, whatever the others found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from busmark.model.entry import SEARCHES
from busmark.model.parameter import AUTO
from busmark.model.parameters import PARAMETERS
from busmark.model.units import FILE_SIZE
from busmark.scenario.matrix import SAME, LinkMatrix, Matrix, adapter_of, nodes_of
from busmark.scenario.section import check_loads, check_matrix, check_names, check_nodes
from busmark.scenario.system import check_chosen, check_system, check_timeline

if TYPE_CHECKING:
    from busmark.scenario.model import Scenario


class Unfit(ValueError):
    """An error of several keys, reported at one of them."""

    def __init__(self, location: tuple[str | int, ...], message: str) -> None:
        self.location = location
        super().__init__(message)


def check(scenario: Scenario) -> None:
    """Make every check.

    Raises:
        ValidationError: all that does not fit.
    """
    found: list[InitErrorDetails] = []
    for checks in CHECKS:
        try:
            for each in checks:
                each(scenario)
        except ValueError as error:
            location = error.location if isinstance(error, Unfit) else ()
            kind = PydanticCustomError("value_error", "{why}", {"why": str(error)})
            found.append(InitErrorDetails(type=kind, loc=location, input=None))
    if found:
        raise ValidationError.from_exception_data("Scenario", found)


def _file_sizes_have_their_file(scenario: Scenario) -> None:
    sizes = [size for matrix in (scenario.matrix, *scenario.also) for size in matrix.size]
    if FILE_SIZE in sizes and not scenario.measure.body_file:
        raise ValueError('size = "file" needs measure.body_file')


def _length_can_be_chosen(scenario: Scenario) -> None:
    if scenario.measure.duration_s == AUTO and (wrong := _not_chosen(scenario)):
        raise Unfit(("measure", "duration_s"), f'"{AUTO}" {wrong}')


def _budget_limits_something(scenario: Scenario) -> None:
    rounds = scenario.rounds
    for name in ("budget_s", "case_budget_s"):
        if getattr(rounds, name) and not rounds.target and not scenario.require:
            raise Unfit(
                ("rounds", name),
                f"{name} limits rounds that are added: it needs a target, or a [[require]]",
            )


def _samples_end(scenario: Scenario) -> bool:
    """Return whether a number of samples ends the rounds of some case."""
    matrices = (scenario.matrix, *scenario.also)
    return bool(scenario.measure.samples) or any(any(each.ends_after) for each in matrices)


def _not_chosen(scenario: Scenario) -> str | None:
    """Return why the run cannot choose how long to measure."""
    if not scenario.rounds.target:
        return "needs rounds.target, the half-width of the interval that is asked for, such as 0.02"
    if _samples_end(scenario):
        return (
            "does not go with measure.samples or ends_after: what ends a round is chosen or stated"
        )
    for matrix in (scenario.matrix, *scenario.also):
        if searching := [test for test in matrix.test if test in SEARCHES]:
            return f'does not go with test = "{searching[0]}": a trial has no interval of its own'
        if "discovery" in matrix.test:
            return 'does not go with test = "discovery": its repetitions are not of one length'
        if "action" in matrix.test:
            return 'does not go with test = "action": its goals have a length of their own'
        if any(matrix.batch) and "throughput" in matrix.test:
            return "does not go with batch: the figure of a round is of whole batches"
    return None


OF_SOME_TESTS = {each.name: each.only for each in PARAMETERS if each.only}
"""Keys of the matrix that only some tests have, and which."""


def _tests_fit(scenario: Scenario) -> None:
    tests = {test for matrix in (scenario.matrix, *scenario.also) for test in matrix.test}
    _has_nothing_of_others(scenario.matrix, ("matrix",), {*tests})
    for position, matrix in enumerate(scenario.also):
        own = {*matrix.test}
        _has_nothing_of_others(matrix, ("also", position), own, inherited=scenario.matrix)
    for test in ("discovery", "action"):
        if test in tests and scenario.timeline:
            raise ValueError(f'timeline does not go with test = "{test}": nothing there can change')
    if "discovery" not in tests:
        return
    if scenario.flow:
        raise ValueError(
            'flow does not go with test = "discovery": background ends by another clock than '
            "repetitions; a background load (matrix.load) is what goes"
        )


def _stand_by(scenario: Scenario) -> bool:
    """Return whether further participants have the endpoints of a discovery test that are there
    already; refuses such as cannot be spread over them."""
    count = sum(each.count for each in scenario.participant)
    found = False
    for location, matrix in _matrices(scenario):
        for existing in matrix.existing:
            found |= existing > 0
            if count and existing % (2 * count):
                raise Unfit(
                    (*location, "existing"),
                    f"{existing} endpoints cannot be spread over {count} participants, each with "
                    f"as many writers as readers: a multiple of {2 * count} can",
                )
    return found


def _matrices(scenario: Scenario) -> list[tuple[tuple[str | int, ...], Matrix]]:
    further = [(("also", place), matrix) for place, matrix in enumerate(scenario.also)]
    return [(("matrix",), scenario.matrix), *further]


def _has_nothing_of_others(
    matrix: Matrix,
    location: tuple[str | int, ...],
    tests: set[str],
    inherited: Matrix | None = None,
) -> None:
    """Refuse keys that would be ignored because they are of none of `tests`, unless a further
    matrix has `inherited` them: the first may be of another test."""
    for name, having in OF_SOME_TESTS.items():
        # Not whether it is named: a scenario that was stored names every key.
        of = getattr(matrix, name)
        if tests & {*having} or of == Matrix.model_fields[name].default:
            continue
        if of != getattr(inherited, name, None):
            text = " or ".join(f'test = "{test}"' for test in having)
            raise Unfit((*location, name), f"{name} is of {text}, which is not in this matrix")


def _groups(scenario: Scenario) -> dict[str, Any]:
    return {name: node.group for name, node in scenario.nodes.items()}


def _nodes_are_known(scenario: Scenario) -> None:
    if scenario.lab.nodes == 1:
        raise ValueError("lab.nodes = 1: a lab has 2 nodes at least")
    groups_of = _groups(scenario)
    check_names(groups_of, scenario.lab_nodes)
    for matrix in (scenario.matrix, *scenario.also):
        if matrix.link != LinkMatrix() and not scenario.lab_nodes:
            raise ValueError("matrix.link needs a lab: add [lab] with nodes = 2")
        if scenario.nodes or scenario.lab_nodes:
            writing, reading = "+".join(matrix.writer_on), "+".join(matrix.reader_on)
            check_matrix(nodes_of(writing), nodes_of(reading), groups_of, scenario.lab_nodes)
        check_loads(matrix.load, matrix.load_on, groups_of)


WITHOUT_MESH: dict[str, list[Any]] = {
    "test": ["throughput"],
    "publishers": [1],
    "subscribers": [1],
    "topology": ["one_way"],
    "peer": [SAME],
    "peer_fifo": ["same"],
    "batch": [0],
    "filter_below": [0],
}
"""Keys of the matrix that applications leave no choice, and what they have to be."""


def _peers_fit(scenario: Scenario) -> None:
    """Refuse a peer's transport without a peer: only another adapter can have its own."""
    for matrix in (scenario.matrix, *scenario.also):
        if set(matrix.peer) == {SAME} != set(matrix.peer_transport):
            raise ValueError('peer_transport needs a peer: name another adapter, peer = "NAME"')


def _meshes_fit(scenario: Scenario) -> None:
    """Refuse keys that say who writes and reads, and where, beside applications, which say so."""
    for matrix in (scenario.matrix, *scenario.also):
        if not any(matrix.applications):
            if any(matrix.applications_on):
                raise ValueError("applications_on needs applications, such as 10")
            continue
        text = f"applications = {', '.join(map(str, matrix.applications))}"
        for name, value in WITHOUT_MESH.items():
            if getattr(matrix, name) != value:
                only = f"{name} = {value[0]!r}".replace("'", '"')
                raise ValueError(f"{text}: every one of them writes and reads, so {only}")
        if scenario.lab_nodes and (matrix.writer_on, matrix.reader_on) != (["n1"], ["n2"]):
            raise ValueError(f"{text}: their nodes are applications_on, not writer_on, reader_on")
        for named in filter(None, matrix.applications_on):
            if not scenario.lab_nodes and not scenario.nodes:
                raise ValueError(f'applications_on = "{named}": there is no [lab], and no [nodes]')
            check_matrix(nodes_of(named), [], _groups(scenario), scenario.lab_nodes)


def _system_fits(scenario: Scenario) -> None:
    meshes = any(any(m.applications) for m in (scenario.matrix, *scenario.also))
    idle = _stand_by(scenario)
    check_system(scenario.participant, scenario.flow, meshes=meshes, idle=idle)
    for matrix in (scenario.matrix, *scenario.also):
        check_chosen(matrix.background, [flow.name for flow in scenario.flow])
    groups_of = _groups(scenario)
    somewhere = bool(scenario.nodes or scenario.lab_nodes)
    for each in scenario.participant:
        if bool(each.on) != somewhere:
            there = "the scenario has nodes" if somewhere else "there is no [lab], and no [nodes]"
            raise ValueError(f"participant {each.name}: on = {each.on!r}, and {there}")
        for matrix in (scenario.matrix, *scenario.also) if each.on else ():
            writers_on = nodes_of("+".join(matrix.writer_on))
            check_matrix([*writers_on, *nodes_of(each.on)], [], groups_of, scenario.lab_nodes)


def _commands_fit(scenario: Scenario) -> None:
    known = [*scenario.lab_nodes, *scenario.nodes]
    for key in ("prepare", "conclude"):
        try:
            check_nodes(getattr(scenario.run, key), known)
        except ValueError as error:
            raise Unfit(("run", key), str(error)) from None


def _timeline_fits(scenario: Scenario) -> None:
    ended = _samples_end(scenario)
    check_timeline(
        scenario.timeline,
        scenario.flow,
        scenario.measure.duration_s,
        ended=ended,
        lab=scenario.lab.nodes > 0,
    )


def _answer_fits(scenario: Scenario) -> None:
    if scenario.answer == "goodput":
        return
    if not any("throughput" in matrix.test for _, matrix in _matrices(scenario)):
        raise Unfit(
            ("answer",),
            f'"{scenario.answer}" is of streams, test = "throughput", and there are none',
        )
    if scenario.answer == "recovery" and not scenario.timeline:
        raise Unfit(("answer",), '"recovery" is after the last step of [[timeline]]: there is none')


def _sides_fit(scenario: Scenario) -> None:
    if len(scenario.sides) == 1:
        raise ValueError("sides: one side alone is not compared with anything")
    for name, side in scenario.sides.items():
        if side.here_only and scenario.nodes:
            raise ValueError(
                f"sides.{name}: environment and prefix are of processes of this machine, not "
                "of [nodes]"
            )


def _options_have_their_adapter(scenario: Scenario) -> None:
    matrices = [scenario.matrix, *scenario.also]
    named = {name for matrix in matrices for name in (*matrix.adapter, *matrix.peer)}
    adapters = named - {SAME}
    for option in (option for matrix in matrices for option in matrix.option):
        if adapter_of(option) not in adapters:
            raise ValueError(
                f"matrix.option.{option} is of an adapter that the matrix does not have "
                f"({', '.join(sorted(adapters))})"
            )


CHECKS: tuple[tuple[Callable[[Scenario], None], ...], ...] = (
    (_file_sizes_have_their_file,),
    (_length_can_be_chosen, _budget_limits_something),
    (_tests_fit,),
    # What stands on nodes is looked at once the nodes are known.
    (_nodes_are_known, _meshes_fit, _peers_fit, _system_fits),
    (_commands_fit,),
    (_timeline_fits, _answer_fits),
    (_sides_fit,),
    (_options_have_their_adapter,),
)
"""Within a row the first that fails keeps the rest from being made."""
