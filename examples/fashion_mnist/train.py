#!/usr/bin/python3
"""Trains the small classifier that `make demo` imports and writes classifier.onnx.

Run with Debian's python3-torch and python3-onnx; data comes from dataset-fashion-mnist.
One core, a few minutes. A run looks at the test split once, after training has ended.
"""
import argparse
import gzip
import pathlib
import random
import time

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional as F

SEED = 2
VALIDATION = 5000  # carved out of the 60,000 training images
MEAN, STD = 0.2860, 0.3530  # of the training images scaled to 0..1


def read_idx(path):
    data = gzip.decompress(path.read_bytes())
    rank = data[3]
    shape = np.frombuffer(data, ">u4", rank, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder, split):
    images = torch.from_numpy(read_idx(folder / f"{split}-images-idx3-ubyte.gz").copy())
    labels = torch.from_numpy(read_idx(folder / f"{split}-labels-idx1-ubyte.gz").astype(np.int64))
    return (images.unsqueeze(1).float() / 255 - MEAN) / STD, labels


def conv(inputs, outputs, kernel=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    )


class Residual(nn.Module):
    def __init__(self, *body):
        super().__init__()
        self.body = nn.Sequential(*body)

    def forward(self, x):
        return F.relu(x + self.body(x))


def separable(width):  # depthwise 3x3, then pointwise, around a shortcut
    return Residual(conv(width, width, groups=width), nn.ReLU(), conv(width, width, kernel=1))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            conv(1, 12), nn.ReLU(),
            conv(12, 24, stride=2), nn.ReLU(), separable(24),
            conv(24, 48, stride=2), nn.ReLU(), separable(48),
            Residual(conv(48, 48)),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.head = nn.Linear(48, 10)

    def forward(self, image):
        return self.head(self.features(image))


def augment(images):
    """Shift by up to two pixels and flip, each image on its own."""
    n = len(images)
    pad = F.pad(images, (2, 2, 2, 2), value=-MEAN / STD)
    rows = torch.randint(0, 5, (n, 1)) + torch.arange(28)
    columns = torch.randint(0, 5, (n, 1)) + torch.arange(28)
    flip = torch.rand(n) < 0.5
    columns[flip] = columns[flip].flip(1)
    index = torch.arange(n)[:, None, None]
    return pad[index, 0, rows[:, :, None], columns[:, None, :]].unsqueeze(1)


@torch.no_grad()
def top1(model, images, labels):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item()
               for x, y in zip(images.split(500), labels.split(500)))
    return hits / len(labels)


def train(model, images, labels, validation, epochs, batch=128):
    steps = len(images) // batch
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True,
                                weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, epochs * steps, pct_start=0.25)
    for epoch in range(epochs):
        start = time.time()
        model.train()
        order = torch.randperm(len(images))
        for step in range(steps):
            pick = order[step * batch:(step + 1) * batch]
            loss = F.cross_entropy(model(augment(images[pick])), labels[pick],
                                   label_smoothing=0.02)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch + 1}/{epochs} loss {loss.item():.3f} "
              f"validation {top1(model, *validation):.4f} {time.time() - start:.0f} s", flush=True)


def main():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--out", type=pathlib.Path, default=here / "classifier.onnx")
    parser.add_argument("--epochs", type=int, default=16)
    options = parser.parse_args()

    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)

    images, labels = load(options.data, "train")
    order = torch.randperm(len(images))
    held, kept = order[:VALIDATION], order[VALIDATION:]
    model = Classifier()
    print(sum(p.numel() for p in model.parameters()), "parameters")
    train(model, images[kept], labels[kept], (images[held], labels[held]), options.epochs)

    model.eval()
    torch.onnx.export(model, torch.zeros(2, 1, 28, 28), str(options.out), opset_version=17,
                      input_names=["image"], output_names=["logits"],
                      training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
                      dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}})
    onnx.checker.check_model(onnx.load(str(options.out)), full_check=True)
    print(f"test {top1(model, *load(options.data, 't10k')):.4f}, "
          f"{options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
