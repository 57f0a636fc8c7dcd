// Lambdas as one visitor: std::visit(Overloaded{[](A) {...}, [](B) {...}}, variant).
#pragma once

namespace pipegraph {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace pipegraph
