"""Generate busmark_msgs/msg/Sample and busmark_msgs/srv/Call, with their type support.

Usage: generate.py PREFIX FOLDER [python]. PREFIX is where ROS 2 is, whose generators are in
PYTHONPATH; with `python` both are made for Python too. The generators are called one by one, for
ROS's own command takes some of them twice where they come from Python wheels.
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
from rosidl_adapter.srv import convert_srv_to_idl

PACKAGE = "busmark_msgs"
INTERFACES = {"msg/Sample": convert_msg_to_idl, "srv/Call": convert_srv_to_idl}
DEPENDENCIES = ("builtin_interfaces", "service_msgs")
"""Each service has a third message, of its events, which needs them."""
GENERATORS = {
    "rosidl_generator_type_description": rosidl_generator_type_description.generate_type_hash,
    "rosidl_generator_c": rosidl_generator_c.generate_c,
    "rosidl_generator_cpp": rosidl_generator_cpp.generate_cpp,
    "rosidl_typesupport_fastrtps_cpp": rosidl_typesupport_fastrtps_cpp.generate_cpp,
    "rosidl_typesupport_fastrtps_c": rosidl_typesupport_fastrtps_c.generate_typesupport_fastrtps_c,
    "rosidl_typesupport_introspection_c": rosidl_typesupport_introspection_c.generate_c,
}
"""In order: the first makes a hash of the type that the others read."""
APART = {"rosidl_typesupport_introspection_c": "introspection"}
"""Folders of generators whose files would overwrite another's: call__type_support.c."""
PYTHON = "python"


def generate(prefix: pathlib.Path, folder: pathlib.Path) -> None:
    """Write sources below `folder`/c and `folder`/introspection; Python's to `folder`/python."""
    idl, hashes = folder / "idl", folder / "c" / PACKAGE
    for name, convert in INTERFACES.items():
        source = pathlib.Path(name)
        suffix = f".{source.parent}"
        (idl / source.parent).mkdir(parents=True)
        root = pathlib.Path(__file__).resolve().parent
        convert(root, PACKAGE, source.with_suffix(suffix), idl / source.parent)
    for name, generator in GENERATORS.items():
        sources = folder / APART.get(name, "c") / PACKAGE
        templates = prefix / "share" / name / "resource"
        arguments = folder / f"{name}.json"
        arguments.write_text(json.dumps({
            "package_name": PACKAGE, "output_dir": str(sources), "template_dir": str(templates),
            "idl_tuples": [f"{idl}:{interface}.idl" for interface in INTERFACES],
            "type_description_tuples": [
                f"{interface}.idl:{hashes}/{interface}.json" for interface in INTERFACES
            ],
            "ros_interface_dependencies": [], "target_dependencies": [],
            "include_paths": [f"{other}:{prefix}/share/{other}" for other in DEPENDENCIES],
        }))  # fmt: skip
        generator(str(arguments))
        for template in templates.glob("*visibility_control.h.in"):
            text = template.read_text().replace("@PROJECT_NAME@", PACKAGE)
            text = text.replace("@PROJECT_NAME_UPPER@", PACKAGE.upper())
            (sources / "msg" / template.name.removesuffix(".in")).write_text(text)


def add_python() -> None:
    """Add the generator of Python's classes, which find their converters by one name."""
    from rosidl_generator_py import generate_py

    GENERATORS["rosidl_generator_py"] = lambda arguments: generate_py(
        arguments, ["rosidl_typesupport_c"]
    )
    APART["rosidl_generator_py"] = PYTHON


if __name__ == "__main__":
    if sys.argv[3:] == [PYTHON]:
        add_python()
    generate(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3]))
