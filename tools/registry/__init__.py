"""The parts of tools/registry.py.  Each uses only those above it:

problems    what is wrong, and where; the files that were read
tokens      SQL text to tokens
model       what the registry holds: stores, methods, fields, statements
fields      a @param or @result line to a field
methods     a file of methods to methods, their SQL still as tokens
statements  the tokens of a method to statements, per engine
schema      schema.sql, schema.postgres.sql and migrate/ to a store
stores      the directories to the whole registry
check       the rules that need all methods, or a method and its statements together
c           the registry as C
markdown    the registry as a manual
"""
