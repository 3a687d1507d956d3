"""The packages of the library: mechaware and its folders, with config/ as mechaware/config."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["mechaware*"]), "mechaware.config"],
    package_dir={"mechaware.config": "config"},
)
