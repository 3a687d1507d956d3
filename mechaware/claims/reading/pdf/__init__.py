"""A PDF, drawn and read by pdfium: the letters of its pages that a reader sees."""
