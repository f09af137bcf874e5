"""Generates the message busmark_msgs/msg/Sample and its type support: generate.py PREFIX FOLDER.

PREFIX is where ROS 2 is, whose generators are in PYTHONPATH. The generators are called one by one,
for ROS's own command takes some of them twice where they come from Python wheels.
"""

import json
import pathlib
import sys

import rosidl_generator_c
import rosidl_generator_cpp
import rosidl_generator_type_description
import rosidl_typesupport_fastrtps_c
import rosidl_typesupport_fastrtps_cpp
import rosidl_typesupport_introspection_c
from rosidl_adapter.msg import convert_msg_to_idl

PACKAGE = "busmark_msgs"
MESSAGE = pathlib.Path("msg/Sample.msg")
GENERATORS = {
    "rosidl_generator_type_description": rosidl_generator_type_description.generate_type_hash,
    "rosidl_generator_c": rosidl_generator_c.generate_c,
    "rosidl_generator_cpp": rosidl_generator_cpp.generate_cpp,
    "rosidl_typesupport_fastrtps_cpp": rosidl_typesupport_fastrtps_cpp.generate_cpp,
    "rosidl_typesupport_fastrtps_c": rosidl_typesupport_fastrtps_c.generate_typesupport_fastrtps_c,
    "rosidl_typesupport_introspection_c": rosidl_typesupport_introspection_c.generate_c,
}
"""In order: the first makes a hash of the type that the others read."""


def generate(prefix: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes sources and headers below `folder`/c."""
    idl, sources = folder / "idl", folder / "c" / PACKAGE
    (idl / "msg").mkdir(parents=True)
    convert_msg_to_idl(pathlib.Path(__file__).resolve().parent, PACKAGE, MESSAGE, idl / "msg")
    for name, generator in GENERATORS.items():
        templates = prefix / "share" / name / "resource"
        arguments = folder / f"{name}.json"
        arguments.write_text(json.dumps({
            "package_name": PACKAGE, "output_dir": str(sources), "template_dir": str(templates),
            "idl_tuples": [f"{idl}:msg/Sample.idl"],
            "type_description_tuples": [f"msg/Sample.idl:{sources}/msg/Sample.json"],
            "ros_interface_dependencies": [], "target_dependencies": [], "include_paths": [],
        }))  # fmt: skip
        generator(str(arguments))
        for template in templates.glob("*visibility_control.h.in"):
            text = template.read_text().replace("@PROJECT_NAME@", PACKAGE)
            text = text.replace("@PROJECT_NAME_UPPER@", PACKAGE.upper())
            (sources / "msg" / template.name.removesuffix(".in")).write_text(text)


if __name__ == "__main__":
    generate(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3]))
