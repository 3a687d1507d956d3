"""Requests, schemas, queries, and matched pairs of prompts."""
