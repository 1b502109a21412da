"""Ratings and grades for people and programs: tables, pictures, JSON, notices."""
