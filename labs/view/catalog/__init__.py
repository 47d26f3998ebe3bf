"""All prose of the lab, as (English, Chinese) pairs; a module a lab."""
