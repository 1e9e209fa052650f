"""A DLRM in PyTorch that reads `AvroDataset.to_torch`. Run this file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from ads import BUCKETS, CATEGORIES, LABEL, NUMBERS, PAIRS, WIDTH, dataset, main, options


class Dlrm(torch.nn.Module):
    """Embeddings of the categories and one vector of the numbers, and layers over their products."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = torch.nn.ModuleList(torch.nn.Embedding(BUCKETS, WIDTH) for _ in CATEGORIES)
        for table in self.tables:
            torch.nn.init.normal_(table.weight, std=0.05)
        self.bottom = torch.nn.Sequential(torch.nn.Linear(len(NUMBERS), WIDTH), torch.nn.ReLU())
        self.top = torch.nn.Sequential(
            torch.nn.Linear(WIDTH + len(PAIRS[0]), 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
        )

    def forward(self, batch: dict[str, Any]) -> torch.Tensor:
        """Returns the logit of each row."""
        numbers = self.bottom(torch.stack([batch[name] for name in NUMBERS], 1))
        vectors = [table(batch[name]) for table, name in zip(self.tables, CATEGORIES, strict=True)]
        all_vectors = torch.stack([numbers, *vectors], 1)
        products = all_vectors @ all_vectors.transpose(1, 2)
        return self.top(torch.cat([numbers, products[:, PAIRS[0], PAIRS[1]]], 1))[:, 0]


def train(folder: Path, rows: int, batch_size: int) -> Iterator[float]:
    """Trains one epoch, and yields the loss of each batch."""
    batches = torch.utils.data.DataLoader(
        dataset(folder, rows).to_torch(**options(batch_size)), batch_size=None
    )
    torch.manual_seed(1)
    model = Dlrm()
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    loss_of = torch.nn.BCEWithLogitsLoss()
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(model(batch), batch[LABEL])
        loss.backward()
        optimizer.step()
        yield loss.item()


if __name__ == "__main__":
    main(train)
