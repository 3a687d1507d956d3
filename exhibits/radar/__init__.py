"""What the paper shows of RADAR and of memorisation."""
