"""A reading aid for a person who judges a paper: passages to read for each
criterion, and a form.
"""
