#include "cases/edit_distance.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "base/threads.hpp"
#include "cases/loops.hpp"

namespace priorcase::cases {

namespace {

// 64 differences of a column of the table: where it grows and where it falls from one cell to the next below.
struct ColumnPart {
  std::uint64_t grows = ~std::uint64_t{0}, falls = 0;

  // On to the next character, which stands at the places `equal` of the text asked about; what the part above hands on
  // comes in, and what this one hands on goes out.
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

  // How much it grows from the top to the cell so far below, 1 to 64.
  std::int64_t growth(std::size_t cells) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - cells);
    return std::popcount(grows & mask) - std::popcount(falls & mask);
  }
};

// Whether a long call is to end: the thread that called asks for Ctrl-C, the others see that it has ended.
class Stopping {
 public:
  explicit Stopping(const std::atomic<bool>& stop) : stop_(stop) {}

  // After so many steps of a nanosecond or so.
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

// The text that is asked about: for each of its characters the places where it stands.
class Pattern {
 public:
  Pattern(const std::uint32_t* text, std::size_t length) : length_(length), words_((length + 63) / 64) {
    const std::size_t beyond = length ? *std::max_element(text, text + length) + std::size_t{1} : 0;
    // With one word the places stand in the table itself; with several, there is a row of them for each character.
    table_.assign(beyond + 1, 0);
    if (words_ > 1) {
      std::vector<std::uint32_t> used(text, text + length);
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      places_.assign((used.size() + 1) * words_, 0);
      for (std::size_t row = 0; row < used.size(); ++row) table_[used[row]] = (row + 1) * words_;
    }
    for (std::size_t i = 0; i < length; ++i) {
      std::uint64_t& word = words_ > 1 ? places_[table_[text[i]] + i / 64] : table_[text[i]];
      word |= std::uint64_t{1} << (i % 64);
    }
  }

  std::size_t words() const { return words_; }

  // Calls found(text, distance) for texts start to stop, which are one block.
  template <class Found>
  void measure(const PackedTexts& texts, std::size_t start, std::size_t stop, Stopping& stopping,
               const Found& found) const {
    if (words_ == 1) return side_by_side(texts, start, stop, stopping, found);
    std::vector<ColumnPart> column;
    for (std::size_t i = start; i < stop; ++i) {
      column.assign(words_, {});
      if (!advance(texts.text(i), texts.length(i), column, stopping)) return;
      auto distance = static_cast<std::int64_t>(texts.length(i));
      for (std::size_t w = 0; w < words_; ++w) distance += column[w].growth(std::min<std::size_t>(64, length_ - 64 * w));
      found(i, static_cast<std::int32_t>(distance));
    }
  }

 private:
  std::size_t row_of(std::uint32_t character) const {
    return table_[std::min<std::size_t>(character, table_.size() - 1)];
  }

  // False where it was stopped on the way.
  bool advance(const std::uint32_t* text, std::size_t length, std::vector<ColumnPart>& column,
               Stopping& stopping) const {
    for (std::size_t j = 0; j < length && words_ > 0; ++j) {
      const std::uint64_t* equal = places_.data() + row_of(text[j]);
      std::uint64_t grown_above = 1, fallen_above = 0;
      for (std::size_t w = 0; w < words_; ++w) column[w].step(equal[w], grown_above, fallen_above);
      if (stopping.after(words_)) return false;
    }
    return true;
  }

  // Texts in the order of their lengths, some side by side: those that have ended go along with the longest.
  template <class Found>
  void side_by_side(const PackedTexts& texts, std::size_t start, std::size_t stop, Stopping& stopping,
                    const Found& found) const {
    const auto advance = loops().advance;
    const CharacterPlaces places{table_.data(), static_cast<std::uint32_t>(table_.size() - 1)};
    EditLanes lanes;
    for (std::size_t first = start; first < stop; first += n_lanes) {
      const std::uint32_t* const which = texts.order() + first;
      const std::size_t used = std::min(n_lanes, stop - first), longest = texts.length(which[used - 1]);
      for (std::size_t l = 0; l < n_lanes; ++l) {
        lanes.at[l] = texts.text(which[std::min(l, used - 1)]);
        lanes.grows[l] = ~std::uint64_t{0};
        lanes.falls[l] = 0;
      }
      std::size_t done = 0;
      for (std::size_t l = 0; l < used; ++l) {
        const std::size_t length = texts.length(which[l]);
        if (length > done) {
          advance(lanes, length - done, places);
          for (std::size_t other = 0; other < n_lanes; ++other) lanes.at[other] += length - done;
          done = length;
        }
        const std::int64_t growth = ColumnPart{lanes.grows[l], lanes.falls[l]}.growth(length_);
        found(which[l], static_cast<std::int32_t>(static_cast<std::int64_t>(length) + growth));
        lanes.at[l] = lanes.at[used - 1];
      }
      if (stopping.after(longest * n_lanes)) return;
    }
  }

  std::size_t length_, words_;
  std::vector<std::uint64_t> table_, places_;
};

template <class Found>
void measure_all(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts, std::size_t threads,
                 const Found& found) {
  const Pattern pattern(asked, length);
  const std::size_t n = texts.size(), blocks = (n + PackedTexts::block - 1) / PackedTexts::block;
  std::atomic<std::size_t> next{0};
  base::run_on_threads(std::min(threads, blocks), [&](const std::atomic<bool>& stop) {
    Stopping stopping(stop);
    for (std::size_t b; !stop.load(std::memory_order_relaxed) && (b = next++) < blocks;)
      pattern.measure(texts, b * PackedTexts::block, std::min(n, (b + 1) * PackedTexts::block), stopping, found);
  });
}

}  // namespace

PackedTexts::PackedTexts(const std::uint32_t* characters, std::vector<std::int64_t> offsets)
    : characters_(characters), offsets_(std::move(offsets)), order_(offsets_.size() - 1) {
  const std::size_t n = order_.size();
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  for (std::size_t start = 0; start < n; start += block) {
    base::check_interrupt();
    std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(start),
                     order_.begin() + static_cast<std::ptrdiff_t>(std::min(n, start + block)),
                     [this](std::uint32_t a, std::uint32_t b) { return length(a) < length(b); });
  }
}

std::vector<std::int32_t> edit_distances(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                         std::size_t threads) {
  std::vector<std::int32_t> distances(texts.size());
  measure_all(asked, length, texts, threads, [&](std::size_t i, std::int32_t distance) { distances[i] = distance; });
  return distances;
}

std::vector<double> edit_similarities(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                      std::size_t threads) {
  std::vector<double> similarities(texts.size());
  measure_all(asked, length, texts, threads, [&](std::size_t i, std::int32_t distance) {
    const std::size_t longer = std::max(length, texts.length(i));
    similarities[i] = longer == 0 ? 1.0 : 1.0 - static_cast<double>(distance) / static_cast<double>(longer);
  });
  return similarities;
}

}  // namespace priorcase::cases
