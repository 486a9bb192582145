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

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors) {
  uint8x16_t sums[lanes];
  add_up(panel, tables, n, sums);
  for (std::size_t w = 0; w < panel_words; ++w) survivors[w] = word_at_most(sums + 4 * w, 254);
}

// Half a panel at a time: the sums of both queries and both tables then fit into the 32 registers.
void scan_two(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables, std::size_t n,
              std::uint64_t* survivors, std::uint64_t* other_survivors) {
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
    for (std::size_t w = 0; w < panel_words / 2; ++w) {
      survivors[h * panel_words / 2 + w] = word_at_most(s + 4 * w, 254);
      other_survivors[h * panel_words / 2 + w] = word_at_most(t + 4 * w, 254);
    }
  }
}

void promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
               std::uint64_t* chosen) {
  uint8x16_t sums[lanes];
  add_up(panel, tables, n, sums);
  const uint8x16_t* found = sums;
  least_most(wanted, [found, chosen](unsigned most) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < panel_words; ++w) count += count_bits(chosen[w] = word_at_most(found + 4 * w, most));
    return count;
  });
}

// Two bounds in units, as the low halves of two words; 255 where they are out of reach. A NaN counts as 254.
uint32x2_t units_of(const double* lower, float64x2_t reach, float64x2_t factor) {
  const float64x2_t bounds = vld1q_f64(lower);
  const uint64x2_t units = vcvtq_u64_f64(vminnmq_f64(vmulq_f64(bounds, factor), vdupq_n_f64(254.0)));
  return vmovn_u64(vbslq_u64(vcgtq_f64(bounds, reach), vdupq_n_u64(255), units));
}

void round_down_many(const double* lower, std::uint8_t* tables, std::size_t n, double reach, double factor) {
  const float64x2_t limit = vdupq_n_f64(reach), scale = vdupq_n_f64(factor);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto four = [&](std::size_t at) {
      return vmovn_u32(vcombine_u32(units_of(lower + at, limit, scale), units_of(lower + at + 2, limit, scale)));
    };
    vst1_u8(tables + i, vmovn_u16(vcombine_u16(four(i), four(i + 4))));
  }
  round_down(lower + i, tables + i, n - i, reach, factor);
}

std::uint64_t zeros(const std::uint8_t* table) {
  const uint8x16x4_t entries = load_table(table);
  return bits_of(vceqzq_u8(entries.val[0]), vceqzq_u8(entries.val[1]), vceqzq_u8(entries.val[2]),
                 vceqzq_u8(entries.val[3]));
}

// The entries of the other codes count as 255.
unsigned smallest_of(const std::uint8_t* table, std::uint64_t codes) {
  const uint8x16_t place = vld1q_u8(places);
  uint8x16_t least = vdupq_n_u8(255);
  for (std::size_t q = 0; q < 4; ++q, codes >>= 16) {
    const uint8x16_t bits = vcombine_u8(vdup_n_u8(static_cast<std::uint8_t>(codes)),
                                        vdup_n_u8(static_cast<std::uint8_t>(codes >> 8)));
    least = vminq_u8(least, vornq_u8(vld1q_u8(table + 16 * q), vtstq_u8(bits, place)));
  }
  return vminvq_u8(least);
}

}  // namespace

const Kernels kernels{0.15, scan, scan_two, promising, round_down_many, zeros, smallest_of};

}  // namespace priorcase::search::neon
