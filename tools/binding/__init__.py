"""The parts of tools/binding.py, which makes the Python package.

header   include/stele.h to constants, structs and functions
abi      those as declarations for ctypes
errors   the statuses as exceptions
stores   the registry's methods as Python classes
stubs    the same for editors and type checkers
original the definitions that stele.compat needs, from the stores' schemas
"""
