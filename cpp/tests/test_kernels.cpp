// Every CPU path gives the bytes of the scalar one.
#include "base/cpu.hpp"
#include "check.hpp"
#include "base/memory.hpp"
#include "search/kernels/kernels.hpp"

using namespace priorcase;

const testing::Test registered("test_kernels", [] {
  std::mt19937_64 random(5);
  for (std::size_t n : {1, 3, 16, 17, 64}) {
    for (int largest : {0, 3, 40, 255}) {
      base::Bytes panel(n * search::panel_rows), tables(n * search::n_codes);
      for (auto& code : panel) code = static_cast<std::uint8_t>(random() % search::n_codes);
      for (auto& entry : tables) entry = static_cast<std::uint8_t>(random() % (largest + 1));
      std::vector<double> lower(n * search::n_codes);
      for (double& bound : lower) bound = random() % 5 == 0 ? base::infinity : static_cast<double>(random() % 1000) / 300;
      std::uint64_t expected[search::panel_words];
      search::scalar::kernels.scan(panel.data(), tables.data(), n, expected);
      base::Bytes rounded(lower.size());
      search::scalar::kernels.round_down(lower.data(), rounded.data(), lower.size(), 2.0, 127.0);
      for (const base::Path each : base::available_paths()) {
        base::use_path(base::name_of(each));
        const search::Kernels& path = search::kernels();
        std::uint64_t survivors[search::panel_words];
        path.scan(panel.data(), tables.data(), n, survivors);
        for (std::size_t w = 0; w < search::panel_words; ++w) CHECK(survivors[w] == expected[w]);
        std::uint64_t none[search::panel_words];
        const base::Bytes nothing(n * search::n_codes, 0);
        path.scan_two(panel.data(), tables.data(), nothing.data(), n, survivors, none);
        for (std::size_t w = 0; w < search::panel_words; ++w) CHECK(survivors[w] == expected[w] && none[w] == ~std::uint64_t{0});
        for (std::size_t wanted : {1, 10, 300}) {
          std::uint64_t chosen[search::panel_words], again[search::panel_words];
          search::scalar::kernels.promising(panel.data(), tables.data(), n, wanted, chosen);
          path.promising(panel.data(), tables.data(), n, wanted, again);
          for (std::size_t w = 0; w < search::panel_words; ++w) CHECK(chosen[w] == again[w]);
        }
        base::Bytes bytes(lower.size());
        path.round_down(lower.data(), bytes.data(), lower.size(), 2.0, 127.0);
        CHECK(bytes == rounded);
        const std::uint64_t codes = random() & random();
        CHECK(path.zeros(tables.data()) == search::scalar::kernels.zeros(tables.data()));
        CHECK(path.smallest(tables.data(), codes) == search::scalar::kernels.smallest(tables.data(), codes));
      }
    }
  }
});
