// For 64-bit ARM CPUs, all of which have NEON.
#include <arm_neon.h>

#include "search/kernels/common.hpp"

namespace priorcase::search::neon {

namespace {

constexpr std::size_t lanes = panel_rows / 16;
constexpr std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

uint8x16x4_t load_table(const std::uint8_t* table) {
  return {{vld1q_u8(table), vld1q_u8(table + 16), vld1q_u8(table + 32), vld1q_u8(table + 48)}};
}

// The 64 entries of a table lie in four registers: one instruction looks 16 codes up. Ends early once every sum is full.
void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, uint8x16_t* sums) {
  uint8x16_t s[lanes];
  for (std::size_t l = 0; l < lanes; ++l) s[l] = vdupq_n_u8(0);
  for (std::size_t a = 0; a < n; ++a) {
    const uint8x16x4_t table = load_table(tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows;
    for (std::size_t l = 0; l < lanes; ++l) s[l] = vqaddq_u8(s[l], vqtbl4q_u8(table, vld1q_u8(codes + 16 * l)));
    if ((a & 15) == 15) {
      uint8x16_t least = s[0];
      for (std::size_t l = 1; l < lanes; ++l) least = vminq_u8(least, s[l]);
      if (vminvq_u8(least) == 255) break;
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) sums[l] = s[l];
}

// One bit for each of 64 bytes, which are all 0 or 255.
std::uint64_t bits_of(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t place = vld1q_u8(places);
  const uint8x16_t low = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
  const uint8x16_t high = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
  const uint8x16_t all = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

// The rows of 64 whose sum is at most a number.
std::uint64_t word_at_most(const uint8x16_t* sums, unsigned most) {
  const uint8x16_t limit = vdupq_n_u8(static_cast<std::uint8_t>(most));
  return bits_of(vcleq_u8(sums[0], limit), vcleq_u8(sums[1], limit), vcleq_u8(sums[2], limit),
                 vcleq_u8(sums[3], limit));
}

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
          std::uint8_t* bytes) {
  uint8x16_t sums[lanes];
  add_up(panel, tables, n, sums);
  for (std::size_t l = 0; l < lanes; ++l) vst1q_u8(bytes + 16 * l, sums[l]);
  for (std::size_t w = 0; w < panel_words; ++w) survivors[w] = word_at_most(sums + 4 * w, 254);
}

// Half a panel at a time: the sums of both queries and both tables then fit into the 32 registers.
void scan_two(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables, std::size_t n,
              std::uint64_t* survivors, std::uint64_t* other_survivors, std::uint8_t* sums, std::uint8_t* other_sums) {
  constexpr std::size_t half = lanes / 2;
  for (std::size_t h = 0; h < 2; ++h) {
    uint8x16_t s[half], t[half];
    for (std::size_t l = 0; l < half; ++l) s[l] = t[l] = vdupq_n_u8(0);
    for (std::size_t a = 0; a < n; ++a) {
      const uint8x16x4_t one = load_table(tables + a * n_codes), other = load_table(other_tables + a * n_codes);
      const std::uint8_t* codes = panel + a * panel_rows + h * panel_rows / 2;
      for (std::size_t l = 0; l < half; ++l) {
        const uint8x16_t code = vld1q_u8(codes + 16 * l);
        s[l] = vqaddq_u8(s[l], vqtbl4q_u8(one, code));
        t[l] = vqaddq_u8(t[l], vqtbl4q_u8(other, code));
      }
    }
    for (std::size_t l = 0; l < half; ++l) {
      vst1q_u8(sums + (h * half + l) * 16, s[l]);
      vst1q_u8(other_sums + (h * half + l) * 16, t[l]);
    }
    for (std::size_t w = 0; w < panel_words / 2; ++w) {
      survivors[h * panel_words / 2 + w] = word_at_most(s + 4 * w, 254);
      other_survivors[h * panel_words / 2 + w] = word_at_most(t + 4 * w, 254);
    }
  }
}

std::size_t promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                      std::uint64_t* chosen) {
  uint8x16_t sums[lanes];
  add_up(panel, tables, n, sums);
  const uint8x16_t* found = sums;
  return least_most(wanted, [found, chosen](unsigned most) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < panel_words; ++w) count += count_bits(chosen[w] = word_at_most(found + 4 * w, most));
    return count;
  });
}

std::uint64_t scan_leaf(const std::uint8_t* panel, std::size_t leaf, const std::uint8_t* tables, std::size_t n,
                        std::uint8_t* sums) {
  uint8x16_t s[4];
  for (std::size_t l = 0; l < 4; ++l) s[l] = vdupq_n_u8(0);
  for (std::size_t a = 0; a < n; ++a) {
    const uint8x16x4_t table = load_table(tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows + leaf * leaf_rows;
    for (std::size_t l = 0; l < 4; ++l) s[l] = vqaddq_u8(s[l], vqtbl4q_u8(table, vld1q_u8(codes + 16 * l)));
  }
  for (std::size_t l = 0; l < 4; ++l) vst1q_u8(sums + 16 * l, s[l]);
  return word_at_most(s, 254);
}

void bound_leaves(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables, const std::uint8_t* symbols,
                  std::size_t n, std::uint8_t* bounds) {
  for (std::size_t g = 0; g < groups; ++g) {
    uint8x16_t s[4];
    for (std::size_t l = 0; l < 4; ++l) s[l] = vdupq_n_u8(0);
    for (std::size_t a = 0; a < n; ++a) {
      const std::uint8_t* box = boxes + (g * n + a) * box_bytes;
      const std::uint8_t* table = tables + a * 3 * n_codes;
      const uint8x16x4_t first = load_table(table);
      const uint8x16x4_t second = load_table(symbols[a] ? table : table + n_codes);
      const uint8x16x4_t third = load_table(symbols[a] ? table : table + 2 * n_codes);
      for (std::size_t l = 0; l < 4; ++l) {
        const uint8x16_t x = vqtbl4q_u8(first, vld1q_u8(box + 16 * l));
        const uint8x16_t y = vqtbl4q_u8(second, vld1q_u8(box + 64 + 16 * l));
        const uint8x16_t z = vqtbl4q_u8(third, vld1q_u8(box + 128 + 16 * l));
        s[l] = vqaddq_u8(s[l], vminq_u8(symbols[a] ? vminq_u8(x, y) : vqaddq_u8(x, y), z));
      }
    }
    for (std::size_t l = 0; l < 4; ++l) vst1q_u8(bounds + g * 64 + 16 * l, s[l]);
  }
}

}  // namespace

const Kernels kernels{scan, scan_two, promising, scan_leaf, round_down, bound_numbers, split_table,
                      bound_leaves, first_least, places_at_most};

}  // namespace priorcase::search::neon
