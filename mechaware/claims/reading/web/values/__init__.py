"""Values of CSS as numbers: lengths, transformations, colours."""
