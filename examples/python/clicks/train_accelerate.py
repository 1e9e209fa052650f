"""The model of `train_torch.py`, trained with Accelerate. Run it, or pass it to `torchrun`."""

from collections.abc import Iterator
from pathlib import Path

import torch
from accelerate import Accelerator
from clock import Clock, Report, main
from train_torch import Clicks

from clicks import LABEL, dataset, write


def train(folder: Path, rows: int, epochs: int, batch_size: int) -> Iterator[Report]:
    """Trains the model, and yields a report after each epoch."""
    accelerator = Accelerator(cpu=True)
    with accelerator.main_process_first():
        paths = write(folder, rows)
    # `to_torch` reads the rows of this rank and copies them to its device, so `prepare` gets no loader. All
    # ranks make the same number of batches.
    source = dataset(paths).to_torch(
        global_batch_size=batch_size * accelerator.num_processes,
        streams=accelerator.num_processes,
        even="drop",
        shuffle_buffer_size=10_000,
        seed=7,
        label=LABEL,
        device=accelerator.device,
    )
    torch.manual_seed(1)
    model = Clicks()
    model, optimizer = accelerator.prepare(model, torch.optim.Adam(model.parameters(), 0.005))
    loss_of = torch.nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        source.set_epoch(epoch)
        clock = Clock()
        losses: list[float] = []
        for features, label in clock.waits(source):
            optimizer.zero_grad()
            loss = loss_of(model(features), label)
            accelerator.backward(loss)
            optimizer.step()
            losses.append(loss.item())
        yield clock.report(losses, len(losses) * batch_size)


if __name__ == "__main__":
    main(train)
