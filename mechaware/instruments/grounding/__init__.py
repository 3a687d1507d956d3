"""Schema grounding: does a model that writes SQL read the schema, or guess from habit?"""
