"""Arrow values as JSON values, texts and tables, which the command line and `Dataset.describe` share.

| module | contents |
|---|---|
| `lazy_numpy` | numpy, imported at its first use |
| `parts` | the child arrays of an Arrow array, restricted to the rows of a slice |
| `json_values` | Arrow values as JSON values |
| `text` | JSON, and escapes for terminals |
| `table` | tables of text, fitted to the width of the terminal |
"""
