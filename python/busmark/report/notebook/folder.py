"""How the kernel learns in which folder the cells run."""

VARIABLE = "BUSMARK_NOTEBOOK_FOLDER"
"""Environment variable with the folder of the notebook."""
