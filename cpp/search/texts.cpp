#include "search/texts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace priorcase::search {

namespace {

// The differences of equal texts are at most this, by rounding.
constexpr double nothing = 1e-12;

// Comparing two texts takes at least about as long as reading this many tokens.
constexpr std::size_t per_text = 16;

constexpr std::uint32_t no_token = std::numeric_limits<std::uint32_t>::max();

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

}  // namespace

void check_text_parts(const TextParts& parts, std::size_t n) {
  for (const TokenVectors& part : parts) {
    require(part.size() == n, "there must be one vector per text");
    require(part.starts.front() == 0 && std::is_sorted(part.starts.begin(), part.starts.end()),
            "the starts of vectors must not decrease");
    require(static_cast<std::size_t>(part.starts.back()) == part.tokens.size() &&
                part.tokens.size() == part.weights.size(),
            "there must be one weight per token");
    require(part.n_tokens < no_token, "there are too many tokens");
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = part.begin(i); j < part.end(i); ++j)
        require(part.tokens[j] < part.n_tokens && (j == part.begin(i) || part.tokens[j - 1] < part.tokens[j]),
                "the tokens of a text must be ascending");
    require(std::all_of(part.weights.begin(), part.weights.end(), [](double w) { return w >= 0.0 && w < 1e100; }),
            "weights must be numbers of 0 or more");
  }
}

void TokenVectors::normalize() {
  lengths.assign(size(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) {
    double square = 0.0;
    for (std::size_t j = begin(i); j < end(i); ++j) square += weights[j] * weights[j];
    if (!(square > 0.0)) continue;
    const double length = lengths[i] = std::sqrt(square);
    for (std::size_t j = begin(i); j < end(i); ++j) weights[j] /= length;
  }
}

TextWords::TextWords(std::vector<std::int64_t> starts, std::vector<std::uint32_t> words, const TokenVectors& tokens,
                     const std::vector<double>& lengths)
    : starts_(std::move(starts)), words_(std::move(words)), n_words_(tokens.size()) {
  require(starts_.size() == lengths.size() + 1 && starts_.front() == 0 &&
              std::is_sorted(starts_.begin(), starts_.end()) &&
              static_cast<std::size_t>(starts_.back()) == words_.size(),
          "there must be a list of words per text");
  require(std::all_of(words_.begin(), words_.end(), [this](std::uint32_t word) { return word < n_words_; }),
          "there is no such word");
  for (const double length : lengths) factors_.push_back(length > 0.0 ? (1.0 + 1e-9) / length : 0.0);
  token_starts_.assign(tokens.n_tokens + 1, 0);
  for (const std::uint32_t token : tokens.tokens) ++token_starts_[token + 1];
  std::partial_sum(token_starts_.begin(), token_starts_.end(), token_starts_.begin());
  entries_.resize(tokens.tokens.size());
  std::vector<std::size_t> next(token_starts_.begin(), token_starts_.end() - 1);
  for (std::size_t word = 0; word < n_words_; ++word)
    for (std::size_t j = tokens.begin(word); j < tokens.end(word); ++j)
      entries_[next[tokens.tokens[j]]++] = {static_cast<std::uint32_t>(word), tokens.weights[j]};
}

void TextWords::score(const TokenVectors& vectors, std::size_t i, std::vector<double>& scores) const {
  scores.assign(n_words_, 0.0);
  for (std::size_t j = vectors.begin(i); j < vectors.end(i); ++j) {
    const double weight = vectors.weights[j];
    const std::size_t last = token_starts_[vectors.tokens[j] + 1];
    for (std::size_t at = token_starts_[vectors.tokens[j]]; at < last; ++at)
      scores[entries_[at].word] += weight * entries_[at].weight;
  }
}

StoredTexts::StoredTexts(TextParts parts, std::size_t n_codes, WordParts words)
    : StoredTexts(std::make_shared<const TextParts>(std::move(parts)), n_codes, std::move(words), [n_codes] {
        std::vector<std::int64_t> all(n_codes);
        std::iota(all.begin(), all.end(), std::int64_t{0});
        return all;
      }()) {}

StoredTexts::StoredTexts(std::shared_ptr<const TextParts> parts, std::size_t n_codes, WordParts words,
                         std::vector<std::int64_t> listed)
    : parts_(std::move(parts)), words_(std::move(words)),
      has_bounds_(std::any_of(words_.begin(), words_.end(), [](const auto& part) { return part != nullptr; })),
      n_codes_(n_codes), listed_(std::move(listed)), places_(n_codes, nowhere),
      postings_(parts_->size()) {
  require(n_codes < nowhere, "there are too many texts");
  require(words_.size() == parts_->size(), "there must be words, or none, for each kind of token");
  for (std::size_t place = 0; place < listed_.size(); ++place)
    places_.at(static_cast<std::size_t>(listed_[place])) = static_cast<std::uint32_t>(place);
  for (std::size_t p = 0; p < parts_->size(); ++p) {
    const TokenVectors& part = (*parts_)[p];
    require(part.tokens.size() < nowhere, "there are too many tokens");
    std::vector<std::uint32_t>& starts = postings_[p].starts;
    starts.assign(part.n_tokens + 1, 0);
    for (const std::int64_t code : listed_) {
      const std::size_t i = static_cast<std::size_t>(code);
      for (std::size_t j = part.begin(i); j < part.end(i); ++j) ++starts[part.tokens[j] + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
  }
}

std::shared_ptr<StoredTexts> StoredTexts::among(const std::vector<std::int64_t>& codes) const {
  for (const std::int64_t code : codes)
    require(code >= 0 && static_cast<std::size_t>(code) < n_codes_, "there is no such text");
  require(std::adjacent_find(codes.begin(), codes.end(), std::greater_equal<>()) == codes.end(),
          "codes must be ascending");
  return std::shared_ptr<StoredTexts>(new StoredTexts(parts_, n_codes_, words_, codes));
}

std::size_t StoredTexts::n_postings(const TokenVectors& vectors, std::size_t i, std::size_t part) const {
  const std::vector<std::uint32_t>& starts = postings_[part].starts;
  std::size_t total = 0;
  for (std::size_t j = vectors.begin(i); j < vectors.end(i); ++j)
    total += starts[vectors.tokens[j] + 1] - starts[vectors.tokens[j]];
  return total;
}

void StoredTexts::fill(std::size_t p) const {
  const TokenVectors& part = (*parts_)[p];
  const Postings& postings = postings_[p];
  std::vector<std::uint32_t> next(postings.starts.begin(), postings.starts.end() - 1);
  postings.places.resize(postings.starts.back());
  postings.weights.resize(postings.starts.back());
  for (std::size_t place = 0; place < listed_.size(); ++place) {
    const std::size_t i = static_cast<std::size_t>(listed_[place]);
    for (std::size_t j = part.begin(i); j < part.end(i); ++j) {
      const std::size_t at = next[part.tokens[j]]++;
      postings.places[at] = static_cast<std::uint32_t>(place);
      postings.weights[at] = part.weights[j];
    }
  }
}

void StoredTexts::add_products(const TokenVectors& vectors, std::size_t i, std::size_t p, double* sums) const {
  const Postings& postings = postings_[p];
  std::call_once(postings.filled, [&] { fill(p); });
  for (std::size_t j = vectors.begin(i); j < vectors.end(i); ++j) {
    const double weight = vectors.weights[j];
    const std::size_t last = postings.starts[vectors.tokens[j] + 1];
    for (std::size_t at = postings.starts[vectors.tokens[j]]; at < last; ++at)
      sums[postings.places[at]] += weight * postings.weights[at];
  }
}

void TokenWeights::set(const TokenVectors& vectors, std::size_t i) {
  for (const std::uint32_t token : tokens_) weights_[place(token)] = 0.0;
  for (const std::uint32_t token : tokens_) blocks_[token / width] = 0;
  blocks_.resize(vectors.n_tokens / width + 1);
  const std::size_t most_blocks = 1 + std::min(blocks_.size(), vectors.end(i) - vectors.begin(i));
  if (weights_.size() < most_blocks * width) weights_.resize(most_blocks * width);
  const auto first = vectors.tokens.begin();
  tokens_.assign(first + vectors.starts[i], first + vectors.starts[i + 1]);
  std::uint32_t n_blocks = 1;
  for (const std::uint32_t token : tokens_)
    if (blocks_[token / width] == 0) blocks_[token / width] = n_blocks++;
  for (std::size_t j = vectors.begin(i); j < vectors.end(i); ++j) weights_[place(vectors.tokens[j])] = vectors.weights[j];
}

void TextRow::start(const StoredTexts& stored, const TextParts& source, std::size_t i, base::Power power) {
  stored_ = &stored;
  source_ = &source;
  i_ = i;
  power_ = power;
  is_complete_ = is_set_ = is_scored_ = false;
  n_read_ = budget_ = 0;
}

// Entries of lists take about twice as long to read as tokens of vectors.
void TextRow::set() {
  weights_.resize(source_->size());
  budget_ = 4 * stored_->n_listed();
  for (std::size_t p = 0; p < source_->size(); ++p) {
    weights_[p].set((*source_)[p], i_);
    budget_ += 2 * stored_->n_postings((*source_)[p], i_, p);
  }
  is_set_ = true;
}

double TextRow::f_of(double sum) const {
  const double difference = 1.0 - sum / static_cast<double>(source_->size());
  return power_(difference < nothing ? 0.0 : difference);
}

double TextRow::one(std::size_t code) {
  if (source_->empty()) return power_(1.0);
  if (!is_set_) set();
  double total = 0.0;
  for (std::size_t p = 0; p < source_->size(); ++p) {
    const TokenVectors& part = stored_->parts()[p];
    total += weights_[p].product(part, code);
    n_read_ += per_text + part.end(code) - part.begin(code);
  }
  return f_of(total);
}

double TextRow::at_least(std::size_t code) {
  if (is_complete_) return at(code);
  const WordParts& words = stored_->words();
  if (!is_set_) set();
  if (!is_scored_) {
    scores_.resize(words.size());
    for (std::size_t p = 0; p < words.size(); ++p)
      if (words[p]) words[p]->score((*source_)[p], i_, scores_[p]);
    is_scored_ = true;
  }
  double total = 1e-9;
  for (std::size_t p = 0; p < words.size(); ++p) {
    n_read_ += per_text;
    if (words[p]) {
      total += std::min(1.0, words[p]->at_most(scores_[p], code));
      n_read_ += words[p]->n_words(code);
    } else {
      total += weights_[p].product(stored_->parts()[p], code);
    }
  }
  return f_of(total);
}

void TextRow::complete() {
  const std::size_t n = stored_->n_listed();
  f_.assign(n, 0.0);
  for (std::size_t p = 0; p < source_->size(); ++p) {
    if (p == 0) {
      stored_->add_products((*source_)[p], i_, p, f_.data());
      continue;
    }
    sums_.assign(n, 0.0);
    stored_->add_products((*source_)[p], i_, p, sums_.data());
    for (std::size_t i = 0; i < n; ++i) f_[i] += sums_[i];
  }
  if (source_->empty())
    std::fill(f_.begin(), f_.end(), power_(1.0));
  else
    for (double& f : f_) f = f_of(f);
  is_complete_ = true;
}

}  // namespace priorcase::search
