"""Where boxes lie: beside, below and over each other."""
