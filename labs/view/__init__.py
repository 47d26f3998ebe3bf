"""Words and figures on their way out: units, tables, languages."""
