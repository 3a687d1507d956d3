"""The RADAR study: recall or reasoning, from prompts to tables and figures."""
