"""`ros2 benchmark`: the command of Busmark as a command of ros2."""
