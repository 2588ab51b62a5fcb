"""The laboratory: speed, training, calibration, and how equity tables are made. Nothing else needs it."""
