"""Blocks: functions that make a section of a document from a result, or nothing."""
