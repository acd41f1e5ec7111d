//! Bytes of profile files to profile tables: detection, inflation, one reader per format.
