#include <vyre/program/forms/function_writer.hpp>

#include <utility>

namespace vyre::program::forms {

void FunctionWriter::begin(const spirv::Function& which) {
  function = &which;
  code.words.clear();
  prologue.words.clear();
  flow_.reset();
  last_labels_.clear();
  phi_labels_.clear();
}

void FunctionWriter::enter_block(Id its_label) {
  block = module_.block_of_label(its_label);
  label = its_label;
}

void FunctionWriter::finish(const Words& head) {
  // If a block was split, a phi must name its last piece as the predecessor.
  for (const std::size_t word : phi_labels_) {
    if (const auto last = last_labels_.find(code.words[word]); last != last_labels_.end()) {
      code.words[word] = last->second;
    }
  }
  for (const Words* part : {&head, &std::as_const(prologue.words), &std::as_const(code.words)}) {
    writer_.functions.insert(writer_.functions.end(), part->begin(), part->end());
  }
}

const spirv::ControlFlow& FunctionWriter::flow() {
  if (!flow_) flow_.emplace(module_, *function);
  return *flow_;
}

bool FunctionWriter::is_loop_header() const {
  const spirv::Block& here = function->blocks[block];
  return here.end - here.begin >= 3 && module_[here.end - 2].op() == spv::OpLoopMerge;
}

void FunctionWriter::begin_piece(Id its_label) {
  code.label(its_label);
  label = its_label;
  last_labels_[function->blocks[block].label] = its_label;
}

}  // namespace vyre::program::forms
