"""The RADAR study: did the model recall the answer, or work it out?"""
