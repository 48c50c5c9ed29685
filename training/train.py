"""Train the LoRA adapter on synthetic ReAct episodes, within a budget of tokens or minutes.

    python -m training.train --tokens 10e6 --out training/runs/first
    python -m training.train --tokens 10e6 --out training/runs/first --resume
    python -m training.train --device cuda --groups groups.jsonl --groups-per-step 12 ...

On a CPU each worker process runs one thread on its own groups; their gradients are summed once a
step. This is faster than one process with two threads, which would wait for each other at every
layer. On a GPU there is one process, and large batches.

The learning rate follows one curve over the budget. To end a run early, resume it with a budget
a little above what it has seen: the rate then falls to zero from where it stands on that curve.
"""

import argparse
import json
import math
import os
import random
import time
from itertools import islice
from pathlib import Path

import torch
import torch.distributed as dist

from training.export import read_adapter
from training.network import Network, base_path, new_lora
from training.tokens import pack, tokenizer
from training.words import use

WARM_UP = 0.03  # of the budget
CHECKPOINT_SECONDS, LINE_SECONDS = 300, 20


def read_groups(path: Path):
    """Yield the groups of a JSON Lines file, again and again."""
    groups = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    if not groups:
        raise ValueError(f"{path} holds no group: write one JSON object per line")
    while True:
        yield from groups


def source(given, sitting: int):
    """Return the endless iterator of groups that the arguments ask for.

    sitting: how often the run was resumed; each sitting draws episodes of its own.
    """
    if given.groups:
        return read_groups(given.groups)
    from training.episodes import groups

    return groups(given.seed + 1000 * sitting)


def steps(groups, per_step: int, seed: int):
    """Yield the groups of one step, similar in length, so that no worker waits for another."""
    order = random.Random(seed)
    while True:
        pool = sorted(islice(groups, 8 * per_step), key=lambda group: len(json.dumps(group)))
        chunks = [pool[i : i + per_step] for i in range(0, len(pool), per_step)]
        order.shuffle(chunks)
        yield from chunks


def rate(done: float, peak: float) -> float:
    """Return the learning rate after a fraction of the budget: warm-up, then a cosine to zero."""
    return peak * min(1.0, done / WARM_UP) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))


def unflat(flat: torch.Tensor, shapes: dict) -> dict:
    """Return {name: view} of the one flat tensor that the optimiser sees."""
    parts = flat.split([math.prod(shape) for shape in shapes.values()])
    return {name: part.view(shapes[name]) for name, part in zip(shapes, parts, strict=True)}


def widened(old: dict, new: dict) -> dict:
    """Return a trained adapter with the rank of a new one: its own rows first, then fresh ones.

    The fresh rows of A are random and those of B zero, so that it computes what the old one did.
    """
    made = {}
    for name, tensor in new.items():
        dim = 0 if name.endswith("lora_a") else 1
        fresh = tensor.detach().clone()
        fresh.narrow(dim, 0, old[name].shape[dim]).copy_(old[name])
        made[name] = fresh
    return made


def save(path: Path, state: dict):
    """Write a checkpoint so that a crash leaves the old one or the new one, never half of one."""
    torch.save(state, path.with_suffix(".new"))
    os.replace(path.with_suffix(".new"), path)


def work(rank: int, given, net: Network):
    """Train in one worker process. Rank 0 also keeps the clock, the log and the checkpoints."""
    torch.set_num_threads(1)
    meeting = f"file://{given.out.resolve()}/meeting"
    if given.workers > 1:
        dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=given.workers)
    encode = tokenizer(base_path())
    lora = new_lora(net, given.rank, given.seed)
    if given.start:
        lora = widened(read_adapter(given.start), lora)
    shapes = {name: tensor.shape for name, tensor in lora.items()}
    flat = torch.cat([tensor.detach().flatten() for tensor in lora.values()])
    flat = flat.to(given.device).requires_grad_()
    mean = flat.detach().clone()  # the average of the last weights: it measures a little better
    optimizer = torch.optim.AdamW([flat], betas=(0.9, 0.99), weight_decay=0.0)
    count = {"step": 0, "episodes": 0, "tokens": 0, "seconds": 0.0, "sitting": 0}
    if given.resume:
        state = torch.load(given.out / "checkpoint.pt", map_location=given.device)
        flat.data = torch.cat([state["raw"][name].flatten() for name in shapes])
        mean = torch.cat([state["lora"][name].flatten() for name in shapes])
        optimizer.load_state_dict(state["optimizer"])
        count = {key: state[key] for key in count}
        count["sitting"] += 1
    feed = steps(source(given, count["sitting"]), given.groups_per_step, given.seed)
    budget = given.minutes * 60
    start = time.monotonic() - count["seconds"]
    last_line = last_save = time.monotonic()
    seen = {"tokens": 0, "loss": 0.0, "labels": 0}  # since the last line
    over = False
    while not over:
        batch = pack(next(feed)[rank :: given.workers], encode)
        loss = net.loss(unflat(flat, shapes), batch)
        loss.backward()
        # One sum carries everything the workers must agree on; only rank 0 adds its clock.
        clock = time.monotonic() - start if rank == 0 else 0.0
        figures = [loss.item(), batch.weights.sum().item(), len(batch.ids), batch.episodes, clock]
        shared = torch.cat((flat.grad, torch.tensor(figures, device=given.device)))
        if given.workers > 1:
            dist.all_reduce(shared)
        flat.grad = shared[: len(flat)]
        loss, labels, tokens, episodes, clock = shared[len(flat) :].tolist()
        flat.grad /= labels
        torch.nn.utils.clip_grad_norm_(flat, 1.0)
        done = (count["tokens"] + tokens) / given.tokens if given.tokens else clock / budget
        optimizer.param_groups[0]["lr"] = rate(done, given.peak)
        optimizer.step()
        optimizer.zero_grad()
        mean.lerp_(flat.detach(), max(1 - given.average, 1 / (count["step"] + 1)))
        count["step"] += 1
        count["episodes"] += int(episodes)
        count["tokens"] += int(tokens)
        count["seconds"] = clock
        for key, value in zip(seen, (tokens, loss, labels), strict=True):
            seen[key] += value
        over = count["tokens"] >= given.tokens if given.tokens else clock >= budget
        now = time.monotonic()
        if rank == 0 and (over or now - last_line >= LINE_SECONDS):
            line = {
                **{key: count[key] for key in ("step", "episodes", "tokens")},
                "tokens_per_second": round(seen["tokens"] / (now - last_line), 1),
                "loss": round(seen["loss"] / seen["labels"], 4),
                "rate": round(rate(done, given.peak), 6),
                "minutes": round(count["seconds"] / 60, 2),
                "minutes_left": round(max(1 - done, 0) / done * clock / 60, 1),
            }
            print(" ".join(f"{key} {value}" for key, value in line.items()), flush=True)
            with open(given.out / "log.jsonl", "a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")
            last_line, seen = now, dict.fromkeys(seen, 0)
        if rank == 0 and (over or now - last_save >= CHECKPOINT_SECONDS):
            kept = {"lora": mean, "raw": flat.detach()}
            kept = {
                key: {name: part.clone().cpu() for name, part in unflat(value, shapes).items()}
                for key, value in kept.items()
            }
            save(given.out / "checkpoint.pt", {**kept, "optimizer": optimizer.state_dict(), **count})
            last_save = now
    if given.workers > 1:
        dist.destroy_process_group()


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--out", type=Path, required=True, help="folder of this run")
    ask.add_argument("--minutes", type=float, default=60, help="time budget")
    ask.add_argument("--tokens", type=float, help="budget in tokens instead, as 10e6")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--groups", type=Path, help="JSON Lines file of groups; else the generator")
    ask.add_argument("--groups-per-step", type=int, default=2)
    ask.add_argument("--workers", type=int, default=2, help="processes of one thread each")
    ask.add_argument("--peak", type=float, default=1e-3, help="highest learning rate")
    ask.add_argument("--rank", type=int, default=16)
    ask.add_argument("--average", type=float, default=0.99, help="of the weights, a step")
    ask.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    ask.add_argument("--words", default="next", help="of the prompt: shipped or next")
    ask.add_argument("--start", type=Path, help="an adapter of lower rank to start from")
    ask.add_argument("--resume", action="store_true", help="go on from the run's checkpoint")
    given = ask.parse_args()
    use(given.words)
    if given.device != "cpu":
        given.workers = 1
    if given.groups_per_step < given.workers:
        ask.error("each worker needs a group per step: raise --groups-per-step")
    if (given.out / "checkpoint.pt").exists() and not given.resume:
        ask.error(f"{given.out} holds a checkpoint: add --resume or name another folder")
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "meeting").unlink(missing_ok=True)
    torch.set_num_threads(1)
    net = Network(base_path(), device=given.device)  # before the fork: workers share its memory
    if given.workers == 1:
        return work(0, given, net)
    torch.multiprocessing.start_processes(
        work, (given, net), nprocs=given.workers, start_method="fork"
    )


if __name__ == "__main__":
    main()
