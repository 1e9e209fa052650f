"""A click-through model in PyTorch that reads `AvroDataset.to_torch`. Run this file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from clock import Clock, Report, main

from clicks import DENSE, LABEL, SCALARS, SPARSE, dataset, write

WIDTH = len(SCALARS) + sum(DENSE.values())


class Clicks(torch.nn.Module):
    """One weight for each sparse entry, and two layers over the rest."""

    def __init__(self) -> None:
        super().__init__()
        weights = {name: torch.nn.Parameter(torch.zeros(size, 1)) for name, size in SPARSE.items()}
        self.sparse = torch.nn.ParameterDict(weights)
        self.dense = torch.nn.Sequential(torch.nn.Linear(WIDTH, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))

    def forward(self, batch: dict[str, Any]) -> torch.Tensor:
        """Returns the logit of each row."""
        scalars = torch.stack([batch[name] for name in SCALARS], 1)
        logits = self.dense(torch.cat([scalars, *(batch[name] for name in DENSE)], 1))
        for name, weight in self.sparse.items():
            logits = logits + torch.sparse.mm(batch[name], weight)
        return logits[:, 0]


def train(folder: Path, rows: int, epochs: int, batch_size: int) -> Iterator[Report]:
    """Trains the model, and yields a report after each epoch."""
    source = dataset(write(folder, rows)).to_torch(
        batch_size=batch_size, drop_remainder=True, shuffle_buffer_size=10_000, seed=7
    )
    batches = torch.utils.data.DataLoader(source, batch_size=None)
    torch.manual_seed(1)
    model = Clicks()
    optimizer = torch.optim.Adam(model.parameters(), 0.005)
    loss_of = torch.nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        source.set_epoch(epoch)
        clock = Clock()
        losses: list[float] = []
        for batch in clock.waits(batches):
            optimizer.zero_grad()
            loss = loss_of(model(batch), batch[LABEL])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        yield clock.report(losses, len(losses) * batch_size)


if __name__ == "__main__":
    main(train)
