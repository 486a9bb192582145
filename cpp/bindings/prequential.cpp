#include "priorcase/election.hpp"

#include "bindings.hpp"

namespace priorcase {

namespace {

void require(bool holds, const char* rule) {
  if (!holds) throw nb::value_error(rule);
}

nb::ndarray<nb::numpy, std::int64_t> elect(Ids indptr, Ids classes, Vector votes, Vector distances,
                                           Vector class_weights, int ties) {
  const std::size_t n_classes = class_weights.size();
  require(votes.size() == classes.size() && distances.size() == classes.size(), "one class and distance per vote");
  require(indptr.size() > 0 && indptr.data()[0] == 0, "lists begin at 0");
  const std::size_t n = indptr.size() - 1;
  require(static_cast<std::size_t>(indptr.data()[n]) == classes.size(), "lists end with the votes");
  for (std::size_t i = 0; i < classes.size(); ++i)
    require(classes.data()[i] >= 0 && static_cast<std::size_t>(classes.data()[i]) < n_classes, "no such class");
  for (std::size_t q = 0; q < n; ++q) require(indptr.data()[q] < indptr.data()[q + 1], "a list has a voter");
  Election election(static_cast<VoteTies>(ties), class_weights.data(), n_classes);
  std::vector<std::int64_t> chosen(n);
  for (std::size_t q = 0; q < n; ++q) {
    const std::size_t start = indptr.data()[q], stop = indptr.data()[q + 1];
    chosen[q] = election.winner({classes.data() + start, votes.data() + start, distances.data() + start, stop - start});
  }
  return to_numpy(std::move(chosen));
}

}  // namespace

void bind_prequential(nb::module_& module) {
  module.def("elect", &elect, nb::arg("indptr"), nb::arg("classes"), nb::arg("votes"), nb::arg("distances"),
             nb::arg("class_weights"), nb::arg("ties"),
             "The class that the votes on each query are for; -1 where they are equal and farther voters are to be left out.");
}

}  // namespace priorcase
