#include "bindings.hpp"
#include "priorcase/kernels.hpp"

NB_MODULE(_core, module) {
  // What a cache of the user still holds when the interpreter ends is no leak worth a screenful of warnings.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled core of priorcase: exact search over mixed columns, counts, moments and sums over trees.";
  priorcase::bind_plan(module);
  priorcase::bind_index(module);
  priorcase::bind_codes(module);
  priorcase::bind_bayes(module);
  priorcase::bind_moments(module);
  priorcase::bind_trees(module);
  priorcase::bind_concepts(module);
  priorcase::bind_pebls(module);
  priorcase::bind_reduction(module);
  priorcase::bind_prequential(module);
  priorcase::bind_leave_one_out(module);
  priorcase::bind_local(module);
  priorcase::bind_local_classes(module);
  priorcase::bind_ridge(module);
  priorcase::bind_relevance(module);
  priorcase::bind_cases(module);
  module.def("cpu_paths", [] {
    std::vector<std::string> names;
    for (const priorcase::Kernels& path : priorcase::available_kernels()) names.emplace_back(path.name);
    return names;
  }, "Names of the code paths this CPU can run, slowest first.");
  module.def("cpu_path", [] { return std::string(priorcase::kernels().name); }, "Name of the code path in use.");
  module.def("use_cpu_path", [](const std::string& name) {
    if (!priorcase::choose_kernels(name)) throw nanobind::value_error("this CPU has no such code path");
  }, nanobind::arg("name"), "Switch to another code path; the answers stay the same.");
}
