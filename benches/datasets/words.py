"""A small vocabulary: mostly ASCII. One word in nine has characters of two or three bytes."""

WORDS: tuple[str, ...] = (
    *("amber", "anchor", "basket", "beacon", "bridge", "candle", "canyon", "carbon", "circle", "copper"),
    *("cotton", "desert", "editor", "engine", "fabric", "forest", "garden", "ginger", "harbor", "helmet"),
    *("island", "jacket", "kettle", "ladder", "magnet", "marble", "meadow", "mirror", "needle", "orange"),
    *("paper", "pencil", "pepper", "planet", "pocket", "rocket", "saddle", "signal", "silver", "spring"),
    *("stone", "ticket", "timber", "tunnel", "velvet", "window"),
    *("crème", "größe", "señal", "日本", "город", "žluť"),
)
