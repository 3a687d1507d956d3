"""A web page: the text that its styles show."""
