"""Can a judge be trusted? Edit what a text says on one criterion, and see which statuses move."""
