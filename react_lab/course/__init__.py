"""The course around the package: working copies of the notebooks, and the doctor."""
