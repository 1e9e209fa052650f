"""Helpers of `arrowfeed.features`.

| module | content |
|---|---|
| `arguments` | checks of the arguments of features; `arrowfeed.features` imports it |
| `foreign` | features of other libraries to those of `arrowfeed.features`, which it imports |
| `config` | features as JSON |
| `tokens` | the tokens of a vocabulary, from files and columns |

The package imports neither, because an import of `foreign` here would be circular.
"""
