"""Pictures and the HTML report of a results folder (docs/file_formats.md).

Reads the folder's CSV and JSON files only; shares no code with the C++ side.
"""
