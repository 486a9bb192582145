#include "cases/edit_distance.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "base/threads.hpp"
#include "cases/loops.hpp"

namespace priorcase::cases {

namespace {

// 64 differences of a column of the table: bits for where it grows and where it falls from one cell to the next below.
struct ColumnPart {
  std::uint64_t grows = ~std::uint64_t{0}, falls = 0;

  // Advances to the next character; `equal` has a bit for each of its positions in the text asked about. On entry, the
  // last two arguments are the difference at the lower border of the part above; on return, that of this part.
  void step(std::uint64_t equal, std::uint64_t& grown_above, std::uint64_t& fallen_above) {
    const std::uint64_t match = equal | fallen_above;
    const std::uint64_t diagonal = (((match & grows) + grows) ^ grows) | match | falls;
    const std::uint64_t right = falls | ~(diagonal | grows), left = diagonal & grows;
    const std::uint64_t from_above = right << 1 | grown_above;
    grows = (left << 1 | fallen_above) | ~(diagonal | from_above);
    falls = from_above & diagonal;
    grown_above = right >> 63;
    fallen_above = left >> 63;
  }

  // Returns how much the column grows over its first cells, 1 to 64 of them.
  std::int64_t growth(std::size_t cells) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - cells);
    return std::popcount(grows & mask) - std::popcount(falls & mask);
  }
};

// Starting a thread takes as long as this many steps of about a nanosecond.
constexpr std::size_t least_steps = 1 << 19;

// Whether to end a long call early: the calling thread checks for Ctrl-C, the other threads check whether to stop.
class Stopping {
 public:
  explicit Stopping(const std::atomic<bool>& stop) : stop_(stop) {}

  // Counts further steps of about a nanosecond, and returns whether to stop.
  bool after(std::size_t steps) {
    if ((steps_ += steps) < often) return false;
    steps_ = 0;
    base::check_interrupt();
    return stop_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t often = 1 << 16;

  const std::atomic<bool>& stop_;
  std::size_t steps_ = 0;
};

// The text asked about: a bit for each position of each symbol. Its characters that occur in no other text match nothing.
class Pattern {
 public:
  Pattern(const std::uint32_t* text, std::size_t length, const std::vector<std::uint32_t>& alphabet)
      : length_(length), words_((length + 63) / 64), places_((alphabet.size() + 1) * words_, 0) {
    for (std::size_t i = 0; i < length; ++i) {
      const auto found = std::lower_bound(alphabet.begin(), alphabet.end(), text[i]);
      if (found == alphabet.end() || *found != text[i]) continue;
      const auto symbol = static_cast<std::size_t>(found - alphabet.begin());
      places_[symbol * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  // Calls found(text, distance, length of the longer text) for each text. Returns false if it was stopped before the end.
  template <class Found>
  bool measure(const PackedTexts::Batch& batch, Stopping& stopping, const Found& found) const {
    return words_ == 1 ? side_by_side(batch, stopping, found) : one_by_one(batch, stopping, found);
  }

 private:
  // Texts are in order of length: the state of each is copied when it ends, and the longer ones go on.
  template <class Found>
  bool side_by_side(const PackedTexts::Batch& batch, Stopping& stopping, const Found& found) const {
    EditLanes lanes, ended = {};
    std::fill_n(lanes.grows, n_lanes, ~std::uint64_t{0});
    std::fill_n(lanes.falls, n_lanes, std::uint64_t{0});
    std::size_t done = 0;
    for (std::size_t l = 0; l < batch.n; ++l) {
      const std::size_t length = batch.lengths[l];
      if (length > done) loops_.advance(lanes, batch.symbols + done * n_lanes, length - done, places_.data());
      done = length;
      ended.grows[l] = lanes.grows[l];
      ended.falls[l] = lanes.falls[l];
    }
    std::int64_t growths[n_lanes];
    loops_.growths(ended, ~std::uint64_t{0} >> (64 - length_), growths);
    for (std::size_t l = 0; l < batch.n; ++l) {
      const std::size_t length = batch.lengths[l];
      found(batch.texts[l], static_cast<std::int64_t>(length) + growths[l], std::max(length, length_));
    }
    return !stopping.after(done * n_lanes);
  }

  template <class Found>
  bool one_by_one(const PackedTexts::Batch& batch, Stopping& stopping, const Found& found) const {
    std::vector<ColumnPart> column;
    for (std::size_t l = 0; l < batch.n; ++l) {
      column.assign(words_, {});
      const std::size_t length = batch.lengths[l];
      for (std::size_t j = 0; j < length && words_ > 0; ++j) {
        const std::uint64_t* const equal = places_.data() + batch.symbols[j * n_lanes + l] * words_;
        std::uint64_t grown_above = 1, fallen_above = 0;
        for (std::size_t w = 0; w < words_; ++w) column[w].step(equal[w], grown_above, fallen_above);
        if (stopping.after(words_)) return false;
      }
      auto distance = static_cast<std::int64_t>(length);
      for (std::size_t w = 0; w < words_; ++w)
        distance += column[w].growth(std::min<std::size_t>(64, length_ - 64 * w));
      found(batch.texts[l], distance, std::max(length, length_));
    }
    return true;
  }

  const Loops& loops_ = loops();
  std::size_t length_, words_;
  std::vector<std::uint64_t> places_;
};

// Calls found(text, distance, length of the longer text) for each text.
template <class Found>
void measure_all(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts, std::size_t threads,
                 const Found& found) {
  const Pattern pattern(asked, length, texts.alphabet());
  constexpr std::size_t block = 128;
  const std::size_t n = texts.n_batches(), steps = texts.n_symbols() * ((length + 63) / 64);
  const std::size_t worth = std::max<std::size_t>(1, steps / least_steps);
  std::atomic<std::size_t> next{0};
  base::run_on_threads(std::min({threads, (n + block - 1) / block, worth}), [&](const std::atomic<bool>& stop) {
    Stopping stopping(stop);
    for (std::size_t start; (start = block * next++) < n;)
      for (std::size_t b = start; b < std::min(n, start + block); ++b)
        if (!pattern.measure(texts.batch(b), stopping, found)) return;
  });
}

}  // namespace

PackedTexts::PackedTexts(const std::uint32_t* characters, const std::int64_t* offsets, std::size_t n)
    : order_(n), lengths_(n) {
  const auto length = [offsets](std::size_t i) { return static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]); };
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
  std::transform(order_.begin(), order_.end(), lengths_.begin(), length);
  base::check_interrupt();
  const std::uint32_t *const begin = characters + offsets[0], *const end = characters + offsets[n];
  std::vector<std::uint32_t> symbol_of(begin == end ? 0 : *std::max_element(begin, end) + std::size_t{1}, 0);
  for (const std::uint32_t* at = begin; at != end; ++at) symbol_of[*at] = 1;
  for (std::size_t character = 0; character < symbol_of.size(); ++character)
    if (symbol_of[character] != 0) {
      symbol_of[character] = static_cast<std::uint32_t>(alphabet_.size());
      alphabet_.push_back(static_cast<std::uint32_t>(character));
    }
  const auto nothing = static_cast<std::uint32_t>(alphabet_.size());
  for (std::size_t first = 0; first < n; first += n_lanes) {
    base::check_interrupt();
    const std::size_t used = std::min(n_lanes, n - first), start = symbols_.size();
    starts_.push_back(start);
    symbols_.resize(start + n_lanes * lengths_[first + used - 1], nothing);
    for (std::size_t l = 0; l < used; ++l) {
      const std::uint32_t* const text = characters + offsets[order_[first + l]];
      for (std::size_t j = 0; j < lengths_[first + l]; ++j) symbols_[start + j * n_lanes + l] = symbol_of[text[j]];
    }
  }
}

PackedTexts::Batch PackedTexts::batch(std::size_t b) const {
  const std::size_t first = b * n_lanes;
  return {symbols_.data() + starts_[b], order_.data() + first, lengths_.data() + first,
          std::min(n_lanes, order_.size() - first)};
}

std::vector<std::int32_t> edit_distances(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                         std::size_t threads) {
  std::vector<std::int32_t> distances(texts.size());
  measure_all(asked, length, texts, threads, [&](std::size_t i, std::int64_t distance, std::size_t) {
    distances[i] = static_cast<std::int32_t>(distance);
  });
  return distances;
}

std::vector<double> edit_similarities(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                      std::size_t threads) {
  std::vector<double> similarities(texts.size());
  measure_all(asked, length, texts, threads, [&](std::size_t i, std::int64_t distance, std::size_t longer) {
    similarities[i] = longer == 0 ? 1.0 : 1.0 - static_cast<double>(distance) / static_cast<double>(longer);
  });
  return similarities;
}

}  // namespace priorcase::cases
