"""The version of the package. A test compares it with that of the SDK for JavaScript."""
version = "0.1.0"
