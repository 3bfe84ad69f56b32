"""Staging: tables of a census are computed from its landed pages, and written where they are judged and read."""
