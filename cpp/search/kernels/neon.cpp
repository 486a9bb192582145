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

// The 64 entries of a table fill four registers, so that one instruction looks up 16 codes. Stops early once every sum
// is saturated.
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

// Returns one bit for each of 64 bytes, which must all be 0 or 255.
std::uint64_t bits_of(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t place = vld1q_u8(places);
  const uint8x16_t low = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
  const uint8x16_t high = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
  const uint8x16_t all = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

// Returns one bit for each of 64 rows: whether its sum is at most `most`.
std::uint64_t word_at_most(const uint8x16_t* sums, unsigned most) {
  const uint8x16_t limit = vdupq_n_u8(static_cast<std::uint8_t>(most));
  return bits_of(vcleq_u8(sums[0], limit), vcleq_u8(sums[1], limit), vcleq_u8(sums[2], limit),
                 vcleq_u8(sums[3], limit));
}

void store(const uint8x16_t* sums, std::size_t count, std::uint8_t* bytes) {
  for (std::size_t l = 0; l < count; ++l) vst1q_u8(bytes + 16 * l, sums[l]);
}

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
          std::uint8_t* bytes) {
  uint8x16_t sums[lanes];
  add_up(panel, tables, n, sums);
  store(sums, lanes, bytes);
  for (std::size_t w = 0; w < panel_words; ++w) survivors[w] = word_at_most(sums + 4 * w, 254);
}

// Handles half a panel at a time, so that the sums of both queries and both tables fit into the 32 registers.
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
    store(s, half, sums + h * panel_rows / 2);
    store(t, half, other_sums + h * panel_rows / 2);
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
                        std::uint8_t* bytes) {
  uint8x16_t sums[4];
  for (std::size_t l = 0; l < 4; ++l) sums[l] = vdupq_n_u8(0);
  for (std::size_t a = 0; a < n; ++a) {
    const uint8x16x4_t table = load_table(tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows + leaf * leaf_rows;
    for (std::size_t l = 0; l < 4; ++l) sums[l] = vqaddq_u8(sums[l], vqtbl4q_u8(table, vld1q_u8(codes + 16 * l)));
  }
  store(sums, 4, bytes);
  return word_at_most(sums, 254);
}

// Returns four bounds in units; 255 if a bound exceeds `reach`. NaN gives 254.
uint16x4_t units_of(const float* lower, float32x4_t reach, float32x4_t factor) {
  const float32x4_t bounds = vld1q_f32(lower);
  const uint32x4_t units = vcvtq_u32_f32(vminnmq_f32(vmulq_f32(bounds, factor), vdupq_n_f32(254.0f)));
  return vmovn_u32(vbslq_u32(vcgtq_f32(bounds, reach), vdupq_n_u32(255), units));
}

void round_to_bytes(const float* lower, std::uint8_t* tables, std::size_t n, float reach, float factor) {
  const float32x4_t limit = vdupq_n_f32(reach), scale = vdupq_n_f32(factor);
  for (std::size_t i = 0; i < n; i += 8)
    vst1_u8(tables + i, vmovn_u16(vcombine_u16(units_of(lower + i, limit, scale),
                                               units_of(lower + i + 4, limit, scale))));
}

void bound_leaves(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables,
                  const std::uint8_t* symbols, std::size_t n, std::uint8_t* bounds) {
  for (std::size_t g = 0; g < groups; ++g) {
    uint8x16_t sums[4];
    for (std::size_t l = 0; l < 4; ++l) sums[l] = vdupq_n_u8(0);
    for (std::size_t a = 0; a < n; ++a) {
      const std::uint8_t* box = boxes + (g * n + a) * box_bytes;
      const std::uint8_t* three = tables + a * 3 * n_codes;
      const uint8x16x4_t first = load_table(three);
      if (symbols[a]) {
        for (std::size_t l = 0; l < 4; ++l) {
          const uint8x16_t x = vqtbl4q_u8(first, vld1q_u8(box + 16 * l));
          const uint8x16_t y = vqtbl4q_u8(first, vld1q_u8(box + 64 + 16 * l));
          const uint8x16_t z = vqtbl4q_u8(first, vld1q_u8(box + 128 + 16 * l));
          sums[l] = vqaddq_u8(sums[l], vminq_u8(x, vminq_u8(y, z)));
        }
      } else {
        const uint8x16x4_t second = load_table(three + n_codes), third = load_table(three + 2 * n_codes);
        for (std::size_t l = 0; l < 4; ++l) {
          const uint8x16_t x = vqtbl4q_u8(first, vld1q_u8(box + 16 * l));
          const uint8x16_t y = vqtbl4q_u8(second, vld1q_u8(box + 64 + 16 * l));
          const uint8x16_t z = vqtbl4q_u8(third, vld1q_u8(box + 128 + 16 * l));
          sums[l] = vqaddq_u8(sums[l], vminq_u8(vqaddq_u8(x, y), z));
        }
      }
    }
    store(sums, 4, bounds + g * 64);
  }
}

// Returns one bit for each of 64 bytes: whether it is at most `most`.
std::uint64_t bytes_at_most(const std::uint8_t* bytes, std::uint8_t most) {
  const uint8x16_t four[4] = {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)};
  return word_at_most(four, most);
}

std::size_t all_at_most(const std::uint8_t* bytes, std::size_t groups, std::uint8_t most, std::uint32_t* places) {
  std::size_t count = 0;
  for (std::size_t g = 0; g < groups; ++g)
    for (std::uint64_t left = bytes_at_most(bytes + g * 64, most); left; left &= left - 1)
      places[count++] = static_cast<std::uint32_t>(g * 64 + lowest_bit(left));
  return count;
}

// Adds the dot product of four codes with the query's to the sum of each of four rows.
int32x4_t add_products(int32x4_t sums, int8x16_t rows, int8x16_t query) {
#if defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(sums, rows, query);
#else
  const int16x8_t low = vmull_s8(vget_low_s8(rows), vget_low_s8(query)), high = vmull_high_s8(rows, query);
  return vaddq_s32(sums, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
#endif
}

int8x16_t repeated(const std::uint8_t* four) { return vreinterpretq_s8_s32(vdupq_n_s32(four_at(four))); }

// Handles sixteen rows at a time.
void dots_at_least(const std::uint8_t* codes, const std::int32_t* norms, std::size_t fours,
                   const std::uint8_t* const* queries, const std::int32_t* least,
                   std::uint64_t (*rows)[panel_words]) {
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t w = 0; w < panel_words; ++w) rows[q][w] = 0;
  for (std::size_t first = 0; first < panel_rows; first += 16) {
    int32x4_t sums[4][4];
    for (std::size_t l = 0; l < 4; ++l)
      for (std::size_t q = 0; q < 4; ++q) sums[l][q] = vld1q_s32(norms + first + 4 * l);
    for (std::size_t f = 0; f < fours; ++f) {
      const std::uint8_t* const row = codes + (f * panel_rows + first) * 4;
      for (std::size_t l = 0; l < 4; ++l) {
        const int8x16_t four_rows = vreinterpretq_s8_u8(vld1q_u8(row + 16 * l));
        for (std::size_t q = 0; q < 4; ++q)
          sums[l][q] = add_products(sums[l][q], four_rows, repeated(queries[q] + 4 * f));
      }
    }
    for (std::size_t q = 0; q < 4; ++q)
      for (std::size_t l = 0; l < 4; ++l) {
        const int32x4_t place = {1, 2, 4, 8};
        const uint32x4_t kept = vandq_u32(vcgeq_s32(sums[l][q], vdupq_n_s32(least[q])), vreinterpretq_u32_s32(place));
        rows[q][first / 64] |= static_cast<std::uint64_t>(vaddvq_u32(kept)) << (first % 64 + 4 * l);
      }
  }
}

}  // namespace

const Kernels kernels{scan, scan_two, promising, scan_leaf, round_to_bytes, bound_numbers, split_table,
                      bound_leaves, all_at_most, dots_at_least};

}  // namespace priorcase::search::neon
