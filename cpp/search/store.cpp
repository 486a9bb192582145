// Makes a store from saved parts, such as those in a mapped file. Only what could make a search read out of bounds is
// checked, at the speed of memory: sizes, codes, and that slots and ids refer to each other.
#include "search/store.hpp"

#include <atomic>

namespace priorcase::search {

namespace {

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

}  // namespace

Store::Store(const std::vector<std::uint8_t>& coded, const Parts& parts, std::size_t threads)
    : Store(coded, parts.wide.size() == coded.size() ? parts.wide : std::vector<std::uint8_t>(coded.size())) {
  const std::size_t n = coded.size(), slots = parts.id_of_slot.size(), ids = parts.slot_of_id.size();
  require(parts.wide.size() == n && parts.largest.size() == n && parts.n_edges.size() == n &&
              parts.lows.size() == n * n_codes && parts.highs.size() == n * n_codes,
          "one entry for each attribute");
  std::size_t at = 0;
  for (std::size_t a = 0; a < n; ++a) {
    require(parts.wide[a] == 0 || (parts.wide[a] == 1 && coded[a]), "only codes are wide");
    require(parts.n_edges[a] >= 0 && static_cast<std::size_t>(parts.n_edges[a]) <= parts.edges.size() - at,
            "edges that are not there");
    const std::size_t n_edges = static_cast<std::size_t>(parts.n_edges[a]);
    require(bins[a].restore(parts.edges.data() + at, n_edges, parts.lows.data() + a * n_codes,
                            parts.highs.data() + a * n_codes, parts.largest[a], wide_[a] != 0),
            "bins that cannot be");
    at += n_edges;
  }
  require(at == parts.edges.size(), "edges of no attribute");
  require(slots < nobody && ids < nobody && parts.first_id >= 0 && parts.first_id < std::int64_t{1} << 62,
          "ids out of range");
  require(parts.codes.size() == code_bytes(slots) && parts.boxes.size() == all_box_bytes(slots) &&
              parts.cells.size() == slots * n_cells_ && parts.symbols.size() == slots * n_symbols_,
          "arrays of other sizes than the slots take");
  codes_ = parts.codes;
  boxes_ = parts.boxes;
  cells_ = parts.cells;
  symbols_ = parts.symbols;
  id_of_slot_ = parts.id_of_slot;
  slot_of_id_ = parts.slot_of_id;
  first_id_ = parts.first_id;
  std::atomic<std::size_t> alive{0}, named{0};
  std::atomic<bool> sound{true}, gaps{false};
  base::for_blocks((slots + group_rows - 1) / group_rows, 4, threads, [&] {
    return [&](std::size_t first, std::size_t last) {
      const std::size_t from = first * group_rows, to = std::min(slots, last * group_rows);
      bool missing = false;
      if (!is_sound(from, to, missing)) sound = false;
      if (missing) gaps = true;
      std::size_t living = 0;
      bool mutual = true;
      for (std::size_t slot = from; slot < (to + panel_rows - 1) / panel_rows * panel_rows; ++slot) {
        const std::uint32_t id = slot < slots ? id_of_slot_[slot] : nobody;
        if (id == nobody) {  // an absent row, which no scan may find
          mutual &= panel(slot / panel_rows)[slot % panel_rows] == dead_code;
          continue;
        }
        ++living;
        mutual &= id < ids && slot_of_id_[id] == slot;
      }
      if (!mutual) sound = false;
      alive += living;
    };
  });
  base::for_blocks(ids, group_rows, threads, [&] {
    return [&](std::size_t first, std::size_t last) {
      named += static_cast<std::size_t>(last - first) -
               static_cast<std::size_t>(std::count(slot_of_id_.data() + first, slot_of_id_.data() + last, nobody));
    };
  });
  require(sound && alive == named, "codes, slots or ids that cannot be");
  alive_ = alive;
  has_gaps_ = gaps;
  require(parts.dead >= 0 && static_cast<std::size_t>(parts.dead) <= slots - alive_, "more removed rows than slots");
  dead_ = static_cast<std::size_t>(parts.dead);
}

bool Store::is_sound(std::size_t first, std::size_t end, bool& gaps) const {
  const auto all_codes = [&](const std::uint8_t* begin, const std::uint8_t* stop) {
    std::uint8_t most = 0, missing = 0;
    for (; begin < stop; ++begin) {
      most = std::max(most, *begin);
      missing |= static_cast<std::uint8_t>(*begin == missing_code);
    }
    gaps |= missing != 0;
    return most < n_codes;
  };
  bool sound = all_codes(codes_.data() + code_bytes(first), codes_.data() + code_bytes(end));
  const bool before = gaps;  // boxes repeat what the codes say about missing values
  sound &= all_codes(boxes_.data() + all_box_bytes(first), boxes_.data() + all_box_bytes(end));
  gaps = before;
  for (std::size_t a = 0; a < n_attributes(); ++a) {
    const std::int64_t largest = bins[a].largest();
    if (symbol_of_[a] >= 0) {
      const std::uint8_t* symbol = symbols_.data() + first * n_symbols_ + static_cast<std::size_t>(symbol_of_[a]);
      const std::uint8_t codes_end = static_cast<std::uint8_t>(largest + 1);
      bool wrong = false;
      for (std::size_t slot = first; slot < end; ++slot, symbol += n_symbols_)
        wrong |= *symbol >= codes_end && *symbol != missing_code;
      sound &= !wrong;
    } else if (wide_[a]) {
      const double most = static_cast<double>(std::max<std::int64_t>(largest, 0));
      for (std::size_t slot = first; slot < end; ++slot) {
        const double cell = cells(slot)[cell_of_[a]];
        sound &= cell != cell || (cell >= 0.0 && cell <= most && cell == std::floor(cell));
      }
    }
  }
  return sound;
}

Parts Store::parts() const {
  Parts parts{codes_, boxes_, symbols_, cells_, slot_of_id_, id_of_slot_};
  parts.first_id = first_id_;
  parts.dead = static_cast<std::int64_t>(dead_);
  parts.wide = wide_;
  for (const Bins& one : bins) {
    parts.largest.push_back(one.largest());
    parts.n_edges.push_back(static_cast<std::int64_t>(one.edges().size()));
    parts.edges.insert(parts.edges.end(), one.edges().begin(), one.edges().end());
    parts.lows.insert(parts.lows.end(), one.lows(), one.lows() + n_codes);
    parts.highs.insert(parts.highs.end(), one.highs(), one.highs() + n_codes);
  }
  return parts;
}

}  // namespace priorcase::search
