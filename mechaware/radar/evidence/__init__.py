"""What a model shows of items: the evidence that detectors read, how it is measured and kept."""
