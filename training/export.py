"""Write a checkpoint's LoRA tensors as the adapter file that llama.cpp loads.

    python -m training.export training/runs/NAME react-adapter.gguf

Takes a run folder (its last checkpoint) or one checkpoint file. The tensors already carry their
GGUF names and the row order of the base file (see network.py), so they are only cast to f16.
"""

import argparse
import hashlib
from pathlib import Path

import gguf
import numpy as np
import torch

from training.network import SCALE


def write_adapter(lora: dict, path: Path):
    """Write {GGUF name: tensor} to path as a LoRA adapter in f16."""
    rank = next(len(tensor) for name, tensor in lora.items() if name.endswith("lora_a"))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(SCALE * rank))
    for name, tensor in lora.items():
        writer.add_tensor(name, tensor.detach().numpy().astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_adapter(path: Path) -> dict:
    """Return {GGUF name: fp32 tensor} of an adapter file."""
    tensors = gguf.GGUFReader(path).tensors
    return {t.name: torch.from_numpy(t.data.astype(np.float32)) for t in tensors}


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("checkpoint", type=Path, help="a run folder or a checkpoint file")
    ask.add_argument("out", type=Path)
    given = ask.parse_args()
    source = given.checkpoint / "checkpoint.pt" if given.checkpoint.is_dir() else given.checkpoint
    state = torch.load(source)
    write_adapter(state["lora"], given.out)
    data = given.out.read_bytes()
    print(f"{given.out}: step {state['step']}, {len(data):,} bytes")
    print(f"sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
