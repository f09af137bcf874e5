"""A foreign program: it writes and reads one topic with Cyclone DDS's Python package, and knows
nothing of Busmark. `plant.py DOMAIN` prints each sample that it reads as a line of JSON."""

import json
import sys
import time
from dataclasses import dataclass

from cyclonedds import idl
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import annotations as annotate
from cyclonedds.idl import types
from cyclonedds.pub import DataWriter, Publisher
from cyclonedds.sub import DataReader, Subscriber
from cyclonedds.topic import Topic
from cyclonedds.util import duration


class Kind(idl.IdlEnum, typename="plant.Kind"):
    VALVE = 0
    PUMP = 1


@dataclass
class Point(idl.IdlStruct, typename="plant.Point"):
    x: types.float64
    y: types.float32


class Reading(idl.IdlUnion, discriminator=Kind, typename="plant.Reading"):
    open: types.case[[Kind.VALVE], bool]
    bar: types.case[[Kind.PUMP], types.float64]


@dataclass
class State(idl.IdlStruct, typename="plant.State"):
    name: str
    annotate.key("name")
    number: types.uint16
    kind: Kind
    path: types.sequence[Point]
    pose: types.array[types.float64, 3]
    reading: Reading
    tags: types.sequence[str, 2]


def main(domain: str) -> None:
    participant = DomainParticipant(int(domain))
    # None of it is what a reader or writer has that asks for nothing.
    group = Qos(Policy.Partition(["works"]))
    reliable = Policy.Reliability.Reliable(duration(seconds=10))
    asked = Qos(reliable, Policy.History.KeepAll, Policy.Deadline(duration(seconds=600)),
                Policy.Durability.TransientLocal)  # fmt: skip
    offered = Qos(reliable, Policy.LatencyBudget(duration(milliseconds=1)))
    writer = DataWriter(
        Publisher(participant, qos=group), Topic(participant, "plant_state", State), qos=offered
    )
    reader = DataReader(
        Subscriber(participant, qos=group), Topic(participant, "plant_order", State), qos=asked
    )
    pump = Reading(discriminator=Kind.PUMP, value=2.5)
    number = 0
    while True:
        path = [Point(1.5, 2.25), Point(float(number), 0)]
        writer.write(State("p7", number, Kind.PUMP, path, [0.0, 0.5, 1.0], pump, ["a"]))
        number += 1
        for sample in reader.take(10):
            if sample.sample_info.valid_data:
                reading = [sample.reading.discriminator.name, sample.reading.value]
                points = [[point.x, point.y] for point in sample.path]
                told = [sample.name, sample.number, sample.kind.name, points, list(sample.pose)]
                print(json.dumps([*told, reading, list(sample.tags)]), flush=True)
        time.sleep(0.05)


main(*sys.argv[1:])
