"""Style sheets of a web page: their values, their rules, and which of them hold."""
