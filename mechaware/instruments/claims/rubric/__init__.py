"""The rubric: criteria, dimensions, tiers, how they score, and the records that carry statuses."""
