//! JSON as text: scanning, strings, partial values. See the submodules.
