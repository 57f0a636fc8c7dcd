"""Where PyTorch is installed: its layers and its differentiation, in double, against the golden gradients."""

import json
import sys

from counted_random import below, symmetric
from golden_gradients import CASES, FOLDER, SAMPLES, differences, fingerprint
from networks import WEIGHT_BOUND

try:
    import torch
    from torch.nn import functional
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(0)


class Parameters(dict):
    """Tensors that want a gradient, by name, made when they are first asked for."""

    def get_tensor(self, name, *shape):
        if name not in self:
            array = symmetric(name, shape, WEIGHT_BOUND)
            if name.endswith("/gain"):
                array = (array.astype("float32") + 1).astype("float64")
            self[name] = torch.tensor(array, dtype=torch.float64, requires_grad=True)
        return self[name]

    def linear(self, name, x, columns, bias=True):
        weight = self.get_tensor(name + "/weight", columns, x.shape[-1])
        return functional.linear(x, weight, self.get_tensor(name + "/bias", 1, columns)[0] if bias else None)

    def layer_norm(self, name, x):
        columns = x.shape[-1]
        gain, offset = (self.get_tensor(f"{name}/{part}", 1, columns) for part in ("gain", "offset"))
        return functional.layer_norm(x, (columns,), gain[0], offset[0], 1e-5)

    def attention(self, name, x, heads, causal):
        tokens, columns = x.shape[1:]
        by_token = x.transpose(0, 1)
        mask = torch.full((tokens, tokens), float("-inf"), dtype=torch.float64).triu(1) if causal else None
        result, _ = functional.multi_head_attention_forward(
            by_token, by_token, by_token, columns, heads,
            self.get_tensor(name + "/projection_weight", 3 * columns, columns),
            self.get_tensor(name + "/projection_bias", 1, 3 * columns)[0], None, None, False, 0.0,
            self.get_tensor(name + "/output_weight", columns, columns),
            self.get_tensor(name + "/output_bias", 1, columns)[0], need_weights=False, attn_mask=mask)
        return result.transpose(0, 1)

    def transformer_layer(self, prefix, x, p, causal):
        x = x + self.attention(prefix + "attention", self.layer_norm(prefix + "norm_1", x), p["heads"], causal)
        wide = self.linear(prefix + "feed_forward_1", self.layer_norm(prefix + "norm_2", x), p["feed_forward"])
        return x + self.linear(prefix + "feed_forward_2", activation(p)(wide), p["hidden"])

    def dense_stack(self, prefix, x, layers, p):
        for i in range(layers):
            x = activation(p)(self.linear(f"{prefix}{i}", x, p["hidden"], p["bias"]))
        return x


def activation(p):
    return functional.relu if p["activation"] == "relu" else lambda x: functional.gelu(x, approximate="tanh")


def features(name, rows, columns):
    return torch.tensor(symmetric(name + ":features", (SAMPLES, rows, columns)))


def indices(name, count, limit):
    return torch.tensor(below(name + ":indices", (SAMPLES, count), limit))


def squared_error(x):
    return functional.mse_loss(x, torch.tensor(symmetric("loss:targets", tuple(x.shape))))


def multimodal_transformer(w, p):
    ends = []
    for branch in range(p["branches"]):
        x = features(f"branch{branch}.input", p["sequence"], p["hidden"])
        for i in range(p["layers"]):
            x = w.transformer_layer(f"branch{branch}.layer{i}.", x, p, causal=False)
        ends.append(x)
    return squared_error(torch.cat(ends, dim=2))


def gpt(w, p):
    table = w.get_tensor("embedding/table", p["vocabulary"], p["hidden"])
    x = functional.embedding(indices("tokens", p["sequence"], p["vocabulary"]), table)
    x = x + w.get_tensor("positions/positions", p["sequence"], p["hidden"])
    for i in range(p["layers"]):
        x = w.transformer_layer(f"layer{i}.", x, p, causal=True)
    x = w.layer_norm("final_norm", x)
    logits = functional.linear(x, table) if p["tied_embeddings"] else w.linear("head", x, p["vocabulary"], False)
    classes = torch.tensor(below("loss:classes", (SAMPLES, p["sequence"]), p["vocabulary"]))
    return functional.cross_entropy(logits.flatten(0, 1), classes.flatten())


def dlrm(w, p):
    dot = p["interaction"] == "dot"
    parts = []
    for i in range(p["dense_branches"]):
        x = features(f"dense{i}.input", 1, p["dense_features"])
        last = p["dense_layers"] - 1
        x = w.dense_stack(f"dense{i}.layer", x, last if dot else last + 1, p)
        if dot:
            x = activation(p)(w.linear(f"dense{i}.layer{last}", x, p["embedding"], p["bias"]))
        parts.append(x[:, 0])
    for i in range(p["sparse_branches"]):
        table = w.get_tensor(f"sparse{i}.bag/table", p["table_rows"], p["embedding"])
        bag = indices(f"sparse{i}.input", p["bag"], p["table_rows"])
        parts.append(functional.embedding_bag(bag, table, mode="sum") if p["pooling"] == "sum" else
                     functional.embedding(bag, table).flatten(1))
    if dot:
        stacked = torch.stack(parts, dim=1)
        row, column = torch.tril_indices(len(parts), len(parts), -1)
        joined = torch.cat([parts[0], torch.bmm(stacked, stacked.transpose(1, 2))[:, row, column]], dim=1)
    else:
        joined = torch.cat(parts, dim=1)
    top = w.dense_stack("top.layer", joined[:, None], p["top_layers"], p)
    return squared_error(w.linear("output", top, p["outputs"], p["bias"]))


def candle_uno(w, p):
    ends = [w.dense_stack(f"branch{i}.layer", features(f"branch{i}.input", 1, p["features"]), p["layers"], p)
            for i in range(p["branches"])]
    tail = w.dense_stack("tail.layer", torch.cat(ends, dim=2), p["tail_layers"], p)
    return squared_error(w.linear("output", tail, p["outputs"], p["bias"]))


FAMILIES = {function.__name__: function for function in (multimodal_transformer, gpt, dlrm, candle_uno)}


def main():
    found = []
    for name, (family, parameters) in CASES.items():
        weights = Parameters()
        loss = FAMILIES[family](weights, parameters)
        loss.backward()
        golden = json.loads((FOLDER / f"{name}.json").read_text())
        document = {"loss": loss.item(), "gradients": {tensor: fingerprint(tensor, weight.grad.numpy())
                                                       for tensor, weight in weights.items()}}
        found += differences({key: golden[key] for key in document}, document, name)
    print("\n".join(found) or f"PyTorch {torch.__version__} agrees on {len(CASES)} networks")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
