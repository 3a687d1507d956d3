"""Commands that draw calibration cards."""
