"""The evidence that detectors read, and how it is measured and stored."""
