"""The model of `train_torch.py`, trained by Lightning. Run this file."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightning
import torch
from clock import Clock, Report, main
from train_torch import Clicks

from clicks import LABEL, dataset, write


class Module(lightning.LightningModule):
    """The model and its optimizer."""

    def __init__(self, rows: Any) -> None:
        super().__init__()
        self.rows, self.model = rows, Clicks()
        self.loss_of = torch.nn.BCEWithLogitsLoss()

    def on_train_epoch_start(self) -> None:
        """Selects the order of the epoch. In each rank, `to_torch` reads the rows of that rank."""
        self.rows.set_epoch(self.current_epoch)

    def training_step(self, batch: tuple[dict[str, Any], torch.Tensor]) -> torch.Tensor:
        """Returns the loss of a batch."""
        features, label = batch
        return self.loss_of(self.model(features), label)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Returns the optimizer."""
        return torch.optim.Adam(self.parameters(), 0.005)


class Reports(lightning.Callback):
    """A report for each epoch."""

    def __init__(self, batch_size: int) -> None:
        self.batch_size = batch_size
        self.reports: list[Report] = []

    def on_train_epoch_start(self, *_: Any) -> None:
        """Starts the clock."""
        self.clock = Clock()
        self.losses: list[float] = []
        self.asked = time.perf_counter()

    def on_train_batch_start(self, *_: Any) -> None:
        """Counts the wait for the batch."""
        self.clock.waiting += time.perf_counter() - self.asked

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, *_: Any) -> None:
        """Keeps the loss of the batch."""
        del trainer, module
        self.losses.append(outputs["loss"].item())
        self.asked = time.perf_counter()

    def on_train_epoch_end(self, *_: Any) -> None:
        """Makes the report."""
        self.reports.append(self.clock.report(self.losses, len(self.losses) * self.batch_size))


def train(folder: Path, rows: int, epochs: int, batch_size: int) -> Iterator[Report]:
    """Trains the model, and yields a report for each epoch."""
    source = dataset(write(folder, rows)).to_torch(
        batch_size=batch_size, drop_remainder=True, shuffle_buffer_size=10_000, seed=7, label=LABEL
    )
    torch.manual_seed(1)
    reports = Reports(batch_size)
    trainer = lightning.Trainer(
        max_epochs=epochs,
        callbacks=[reports],
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Module(source), torch.utils.data.DataLoader(source, batch_size=None))
    yield from reports.reports


if __name__ == "__main__":
    main(train)
