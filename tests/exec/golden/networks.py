"""The network families in numpy, from their descriptions in docs/models.md. Operators and parameters have the
names of the project's; weights, samples and labels are counted random numbers, one stream per name."""

import numpy as np

from counted_random import below, symmetric
from tape import Value, concatenate

WEIGHT_BOUND = 0.4


class Network:
    """Parameters by name as they come up, and the samples 0 to n - 1."""

    def __init__(self, samples):
        self.samples = samples
        self.parameters = {}

    def parameter(self, name, *shape):
        if name not in self.parameters:
            array = symmetric(name, shape, WEIGHT_BOUND)
            if name.endswith("/gain"):
                array = (np.float32(1.0) + array.astype(np.float32)).astype(np.float64)
            self.parameters[name] = Value(array)
        return self.parameters[name]

    def features(self, name, rows, columns):
        return Value(symmetric(name + ":features", (self.samples, rows, columns)))

    def indices(self, name, count, limit):
        return below(name + ":indices", (self.samples, count), limit)

    def linear(self, name, x, columns, bias=True, activation=None):
        y = x @ self.parameter(name + "/weight", columns, x.array.shape[-1]).transpose(1, 0)
        if bias:
            y = y + self.parameter(name + "/bias", 1, columns)
        return activation(y) if activation else y

    def layer_norm(self, name, x):
        columns = x.array.shape[-1]
        centred = x - x.mean(2)
        scale = ((centred * centred).mean(2) + Value(1e-5)).power(-0.5)
        gain = self.parameter(name + "/gain", 1, columns)
        return centred * scale * gain + self.parameter(name + "/offset", 1, columns)

    def attention(self, name, x, heads, causal):
        samples, tokens, columns = x.array.shape
        width = columns // heads
        projected = (x @ self.parameter(name + "/projection_weight", 3 * columns, columns).transpose(1, 0) +
                     self.parameter(name + "/projection_bias", 1, 3 * columns))
        split = projected.reshape(samples, tokens, 3, heads, width).transpose(2, 0, 3, 1, 4)
        queries, keys, values = (split.at(part) for part in range(3))
        scores = (queries @ keys.transpose(0, 1, 3, 2)).times(width**-0.5)
        if causal:
            scores = scores + Value(np.triu(np.full((tokens, tokens), -1e30), 1))
        exponentials = (scores - Value(scores.array.max(axis=-1, keepdims=True))).exp()
        probabilities = exponentials * exponentials.sum(3).power(-1.0)
        result = (probabilities @ values).transpose(0, 2, 1, 3).reshape(samples, tokens, columns)
        return (result @ self.parameter(name + "/output_weight", columns, columns).transpose(1, 0) +
                self.parameter(name + "/output_bias", 1, columns))

    def squared_error(self, name, x):
        difference = x - Value(symmetric(name + ":targets", x.array.shape))
        size = difference.array.size
        return (difference * difference).reshape(1, size).sum(1).times(1.0 / size)

    def cross_entropy(self, name, x):
        samples, rows, classes = x.array.shape
        labels = below(name + ":classes", (samples, rows), classes)
        shifted = x - Value(x.array.max(axis=-1, keepdims=True))
        log_total = shifted.exp().sum(2).log()
        chosen = shifted.at((np.arange(samples)[:, None], np.arange(rows)[None, :], labels))
        losses = log_total - chosen.reshape(samples, rows, 1)
        return losses.reshape(1, samples * rows).sum(1).times(1.0 / (samples * rows))


def gelu(x):
    argument = (x + x.power(3).times(0.044715)).times(np.sqrt(2.0 / np.pi))
    return (x + x * argument.tanh()).times(0.5)


def relu(x):
    return x.positive()


ACTIVATIONS = {"gelu": gelu, "relu": relu}


def transformer_layer(net, prefix, x, p, causal):
    attended = net.attention(prefix + "attention", net.layer_norm(prefix + "norm_1", x), p["heads"], causal)
    middle = x + attended
    wide = net.linear(prefix + "feed_forward_1", net.layer_norm(prefix + "norm_2", middle),
                      p["feed_forward"], activation=ACTIVATIONS[p["activation"]])
    return net.linear(prefix + "feed_forward_2", wide, p["hidden"]) + middle


def dense_stack(net, prefix, x, layers, p):
    for i in range(layers):
        x = net.linear(f"{prefix}{i}", x, p["hidden"], p["bias"], ACTIVATIONS[p["activation"]])
    return x


def multimodal_transformer(net, p):
    ends = []
    for branch in range(p["branches"]):
        x = net.features(f"branch{branch}.input", p["sequence"], p["hidden"])
        for i in range(p["layers"]):
            x = transformer_layer(net, f"branch{branch}.layer{i}.", x, p, causal=False)
        ends.append(x)
    return net.squared_error("loss", concatenate(ends))


def gpt(net, p):
    tokens = net.indices("tokens", p["sequence"], p["vocabulary"])
    table = net.parameter("embedding/table", p["vocabulary"], p["hidden"])
    x = table.at(tokens) + net.parameter("positions/positions", p["sequence"], p["hidden"])
    for i in range(p["layers"]):
        x = transformer_layer(net, f"layer{i}.", x, p, causal=True)
    x = net.layer_norm("final_norm", x)
    if p["tied_embeddings"]:
        logits = x @ table.transpose(1, 0)
    else:
        logits = net.linear("head", x, p["vocabulary"], bias=False)
    return net.cross_entropy("loss", logits)


def dlrm(net, p):
    dot = p["interaction"] == "dot"
    features = []
    for i in range(p["dense_branches"]):
        x = net.features(f"dense{i}.input", 1, p["dense_features"])
        last = p["dense_layers"] - 1
        x = dense_stack(net, f"dense{i}.layer", x, last if dot else last + 1, p)
        if dot:
            x = net.linear(f"dense{i}.layer{last}", x, p["embedding"], p["bias"], ACTIVATIONS[p["activation"]])
        features.append(x)
    for i in range(p["sparse_branches"]):
        indices = net.indices(f"sparse{i}.input", p["bag"], p["table_rows"])
        rows = net.parameter(f"sparse{i}.bag/table", p["table_rows"], p["embedding"]).at(indices)
        features.append(rows.sum(1) if p["pooling"] == "sum" else rows.reshape(net.samples, 1, -1))
    joined = interaction(features) if dot else concatenate(features)
    top = dense_stack(net, "top.layer", joined, p["top_layers"], p)
    return net.squared_error("loss", net.linear("output", top, p["outputs"], p["bias"]))


def interaction(features):
    products = [(features[i] * features[j]).sum(2) for i in range(len(features)) for j in range(i)]
    return concatenate([features[0], *products])


def candle_uno(net, p):
    ends = [dense_stack(net, f"branch{i}.layer", net.features(f"branch{i}.input", 1, p["features"]), p["layers"], p)
            for i in range(p["branches"])]
    tail = dense_stack(net, "tail.layer", concatenate(ends), p["tail_layers"], p)
    return net.squared_error("loss", net.linear("output", tail, p["outputs"], p["bias"]))


FAMILIES = {function.__name__: function for function in (multimodal_transformer, gpt, dlrm, candle_uno)}
