"""Helpers of `arrowfeed.features`.

| module | content |
|---|---|
| `arguments` | checks of the arguments of features; `arrowfeed.features` imports it |
| `foreign` | features of other libraries to those of `arrowfeed.features`, which it imports |

The package imports neither, because an import of `foreign` here would be circular.
"""
