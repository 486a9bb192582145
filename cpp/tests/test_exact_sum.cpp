// Exact sums: whole numbers that 128 bits can hold, any order, any magnitude, add then subtract.
#include "check.hpp"
#include "priorcase/exact_sum.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace priorcase;

namespace {

using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

// The sums by class, kind and exponent; parts of one sum are added up.
std::map<Key, Int256> collected(ExactSums& sums) {
  std::map<Key, Int256> found;
  for (const Term& term : sums.terms()) {
    Int256& sum = found[{term.code, term.which, term.exponent}];
    Twice carry = 0;
    for (int i = 0; i < 4; ++i) {
      carry += static_cast<Twice>(sum.limb[i]) + term.value.limb[i];
      sum.limb[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  return found;
}

bool same(const std::map<Key, Int256>& a, const std::map<Key, Int256>& b) {
  const auto equal = [](const auto& p, const auto& q) {
    return p.first == q.first && std::equal(p.second.limb, p.second.limb + 4, q.second.limb);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

std::map<Key, Int256> sums_of(const std::vector<double>& x, const std::vector<std::int32_t>& codes,
                            const std::vector<double>& w, std::size_t n_classes) {
  ExactSums sums(n_classes);
  CHECK(sums.add(x.data(), codes.data(), w.empty() ? nullptr : w.data(), x.size()));
  return collected(sums);
}

// The value of one class's sum where it is a whole number below 2^127.
__int128 whole(const std::map<Key, Int256>& sums, std::int64_t code, std::int64_t which) {
  __int128 total = 0;
  for (const auto& [key, value] : sums) {
    const auto [c, k, exponent] = key;
    if (c != code || k != which) continue;
    // value 2^exponent with a negative exponent: the bits below the point are all 0.
    const auto shift = static_cast<unsigned>(-exponent);
    CHECK(exponent < 0 && shift < 256);
    const bool negative = value.limb[3] >> 63 != 0;
    std::uint64_t bits[6] = {value.limb[0], value.limb[1], value.limb[2], value.limb[3], 0, 0};
    if (negative) bits[4] = bits[5] = ~std::uint64_t{0};
    const unsigned skip = shift / 64, rest = shift % 64;
    const auto limb = [&](unsigned i) {
      return rest == 0 ? bits[skip + i] : bits[skip + i] >> rest | bits[skip + i + 1] << (64 - rest);
    };
    total += static_cast<__int128>(static_cast<Twice>(limb(1)) << 64 | limb(0));
  }
  return total;
}

void test_whole_numbers() {
  std::mt19937_64 random(1);
  std::vector<double> x, w;
  std::vector<std::int32_t> codes;
  __int128 expected[2][3] = {};
  for (int i = 0; i < 5000; ++i) {
    const auto value = static_cast<std::int64_t>(random() % 2000001) - 1000000;
    const auto times = static_cast<std::int64_t>(random() % 5);
    const auto code = static_cast<std::int32_t>(random() % 2);
    x.push_back(static_cast<double>(value));
    w.push_back(static_cast<double>(times));
    codes.push_back(code);
    expected[code][0] += times;
    expected[code][1] += times * value;
    expected[code][2] += times * value * value;
  }
  x.push_back(testing::gap), w.push_back(1), codes.push_back(0);
  x.push_back(1.0), w.push_back(1), codes.push_back(-1);
  const auto found = sums_of(x, codes, w, 2);
  for (int c = 0; c < 2; ++c)
    for (int k = 0; k < 3; ++k) CHECK(whole(found, c, k) == expected[c][k]);
}

void test_any_order_and_magnitude() {
  std::mt19937_64 random(2);
  for (const std::size_t n_classes : {1, 3, 5000}) {
    std::vector<double> x, w;
    std::vector<std::int32_t> codes;
    for (int i = 0; i < 6000; ++i) {
      double value = std::bit_cast<double>(random());
      if (!std::isfinite(value)) value = random() % 2 == 0 ? 5e-324 : -1.7976931348623157e308;
      x.push_back(value);
      w.push_back(std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 600) - 300));
      codes.push_back(static_cast<std::int32_t>(random() % n_classes));
    }
    const auto found = sums_of(x, codes, w, n_classes);
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> x2, w2;
    std::vector<std::int32_t> codes2;
    for (std::size_t i : order) x2.push_back(x[i]), w2.push_back(w[i]), codes2.push_back(codes[i]);
    CHECK(same(found, sums_of(x2, codes2, w2, n_classes)));
  }
}

void test_opposites_cancel() {
  const std::vector<double> x{1e300, -1e300, 1e-300, -1e-300, 5e-324, -5e-324};
  const auto found = sums_of(x, std::vector<std::int32_t>(x.size(), 0), {}, 1);
  for (const auto& [key, value] : found) CHECK(std::get<1>(key) != 1 && !value.is_zero());
}

void test_refusals() {
  const std::int32_t code = 0, large = 1;
  const double one = 1, below = -1, infinite = HUGE_VAL;
  CHECK(!ExactSums(1).add(&infinite, &code, nullptr, 1));
  CHECK(!ExactSums(1).add(&one, &large, nullptr, 1));
  CHECK(!ExactSums(1).add(&one, &code, &below, 1));
  CHECK(!ExactSums(1).add(&one, &code, &infinite, 1));
}

}  // namespace

int main() {
  test_whole_numbers();
  test_any_order_and_magnitude();
  test_opposites_cancel();
  test_refusals();
  std::puts("test_exact_sum: no bit is lost");
}
