#include <vyre/choice/way.hpp>

namespace vyre::choice {

std::string_view to_string(Way way) noexcept {
  switch (way) {
    case Way::Plain: return "plain";
    case Way::Batched: return "batched";
    case Way::Replay: return "replay";
    case Way::Merged: return "merged";
    case Way::MergedReplay: return "merged-replay";
    case Way::Persistent: return "persistent";
    case Way::PersistentReplay: return "persistent-replay";
    case Way::Chain: return "chain";
    case Way::ChainReplay: return "chain-replay";
    case Way::Table: return "table";
  }
  return "";
}

}  // namespace vyre::choice
