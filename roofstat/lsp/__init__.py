"""The language server: what editors ask for, answered from reports. Nothing here is imported by an analysis."""
