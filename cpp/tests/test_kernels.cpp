// Every CPU path gives the bytes of the scalar one.
#include "check.hpp"
#include "priorcase/aligned.hpp"
#include "priorcase/kernels.hpp"

using namespace priorcase;

int main() {
  std::mt19937_64 random(5);
  for (std::size_t n : {1, 3, 16, 17, 64}) {
    for (int largest : {0, 3, 40, 255}) {
      Bytes panel(n * panel_rows), tables(n * n_codes);
      for (auto& code : panel) code = static_cast<std::uint8_t>(random() % n_codes);
      for (auto& entry : tables) entry = static_cast<std::uint8_t>(random() % (largest + 1));
      std::vector<double> lower(n * n_codes);
      for (double& bound : lower) bound = random() % 5 == 0 ? infinity : static_cast<double>(random() % 1000) / 300;
      std::uint64_t expected[panel_words];
      scalar::scan(panel.data(), tables.data(), n, expected);
      Bytes rounded(lower.size());
      scalar::round_down(lower.data(), rounded.data(), lower.size(), 2.0, 127.0);
      for (const Kernels& path : available_kernels()) {
        std::uint64_t survivors[panel_words];
        path.scan(panel.data(), tables.data(), n, survivors);
        for (std::size_t w = 0; w < panel_words; ++w) CHECK(survivors[w] == expected[w]);
        std::uint64_t none[panel_words];
        const Bytes nothing(n * n_codes, 0);
        path.scan_two(panel.data(), tables.data(), nothing.data(), n, survivors, none);
        for (std::size_t w = 0; w < panel_words; ++w) CHECK(survivors[w] == expected[w] && none[w] == ~std::uint64_t{0});
        for (std::size_t wanted : {1, 10, 300}) {
          std::uint64_t chosen[panel_words], again[panel_words];
          scalar::promising(panel.data(), tables.data(), n, wanted, chosen);
          path.promising(panel.data(), tables.data(), n, wanted, again);
          for (std::size_t w = 0; w < panel_words; ++w) CHECK(chosen[w] == again[w]);
        }
        Bytes bytes(lower.size());
        path.round_down(lower.data(), bytes.data(), lower.size(), 2.0, 127.0);
        CHECK(bytes == rounded);
        const std::uint64_t codes = random() & random();
        CHECK(path.zeros(tables.data()) == scalar::zeros(tables.data()));
        CHECK(path.smallest(tables.data(), codes) == scalar::smallest(tables.data(), codes));
      }
    }
  }
  std::puts("test_kernels: all paths agree");
}
