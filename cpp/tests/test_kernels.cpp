// Every code path gives the same bytes as the scalar path.
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
      std::vector<float> lower(n * search::n_codes);
      for (float& bound : lower)
        bound = random() % 5 == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(random() % 1000) / 300;
      base::Bytes boxes(2 * n * search::box_bytes), box_tables(3 * n * search::n_codes);
      for (auto& code : boxes) code = static_cast<std::uint8_t>(random() % search::n_codes);
      for (auto& entry : box_tables) entry = static_cast<std::uint8_t>(random() % (largest + 1));
      std::vector<std::uint8_t> symbols(n), bounds(128), same_bounds(128);
      for (auto& mark : symbols) mark = random() % 2;
      search::scalar::kernels.bound_leaves(boxes.data(), 2, box_tables.data(), symbols.data(), n, bounds.data());
      base::Bytes grid(4 * n * search::panel_rows), queries(16 * n);
      for (auto& code : grid) code = static_cast<std::uint8_t>(largest == 255 ? 127 : random() % 128);
      for (auto& code : queries) code = static_cast<std::uint8_t>(largest == 255 ? 128 - random() % 2 : random());
      std::vector<std::int32_t> norms(search::panel_rows);
      for (auto& norm : norms) norm = -static_cast<std::int32_t>(random() % 100000);
      const std::uint8_t* const four[4] = {&queries[0], &queries[4 * n], &queries[8 * n], &queries[12 * n]};
      const std::int32_t least[4] = {-50000, -1000, 0, 20000};
      std::uint64_t expected_near[4][search::panel_words];
      search::scalar::kernels.dots_at_least(grid.data(), norms.data(), n, four, least, expected_near);
      std::uint64_t expected[search::panel_words];
      alignas(64) std::uint8_t sums[search::panel_rows], same[search::panel_rows], none_sums[search::panel_rows];
      search::scalar::kernels.scan(panel.data(), tables.data(), n, expected, sums);
      base::Bytes rounded(lower.size());
      search::scalar::kernels.round_down(lower.data(), rounded.data(), lower.size(), 2.0f, 127.0f);
      for (const base::Path each : base::available_paths()) {
        base::use_path(base::name_of(each));
        const search::Kernels& path = search::kernels();
        std::uint64_t survivors[search::panel_words];
        path.scan(panel.data(), tables.data(), n, survivors, same);
        CHECK(std::equal(sums, sums + search::panel_rows, same));
        for (std::size_t w = 0; w < search::panel_words; ++w) CHECK(survivors[w] == expected[w]);
        std::uint64_t none[search::panel_words];
        const base::Bytes nothing(n * search::n_codes, 0);
        path.scan_two(panel.data(), tables.data(), nothing.data(), n, survivors, none, same, none_sums);
        CHECK(std::equal(sums, sums + search::panel_rows, same));
        for (std::size_t w = 0; w < search::panel_words; ++w)
          CHECK(survivors[w] == expected[w] && none[w] == ~std::uint64_t{0});
        for (std::size_t wanted : {1, 10, 300}) {
          std::uint64_t chosen[search::panel_words], again[search::panel_words];
          search::scalar::kernels.promising(panel.data(), tables.data(), n, wanted, chosen);
          path.promising(panel.data(), tables.data(), n, wanted, again);
          for (std::size_t w = 0; w < search::panel_words; ++w) CHECK(chosen[w] == again[w]);
        }
        base::Bytes bytes(lower.size());
        path.round_down(lower.data(), bytes.data(), lower.size(), 2.0f, 127.0f);
        CHECK(bytes == rounded);
        for (std::size_t leaf = 0; leaf < search::panel_words; ++leaf)
          {
          CHECK(path.scan_leaf(panel.data(), leaf, tables.data(), n, same + 64 * leaf) == expected[leaf]);
          CHECK(std::equal(sums + 64 * leaf, sums + 64 * leaf + 64, same + 64 * leaf));
        }
        path.bound_leaves(boxes.data(), 2, box_tables.data(), symbols.data(), n, same_bounds.data());
        CHECK(same_bounds == bounds);
        std::uint64_t near[4][search::panel_words];
        path.dots_at_least(grid.data(), norms.data(), n, four, least, near);
        for (std::size_t q = 0; q < 4; ++q) CHECK(std::equal(near[q], near[q] + search::panel_words, expected_near[q]));
      }
    }
  }
});
