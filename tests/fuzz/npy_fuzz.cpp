#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <vyre/base/check.hpp>

#include "cli/job/contents.hpp"
#include "cli/job/npy.hpp"

// Any bytes at all: an array comes out that lies within them, or a refusal with a reason; what we write is read back.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vyre::cli::job;
  const std::span<const std::byte> file = std::as_bytes(std::span{data, size});
  const auto array = read_npy(file);
  if (!array) {
    VYRE_CHECK(array.error().code == vyre::ErrorCode::InvalidArgument, "a bad file is a bad argument");
    VYRE_CHECK(!array.error().message.empty(), "every refusal has a reason");
    return 0;
  }
  VYRE_CHECK(array->offset <= size && array->bytes == size - array->offset, "the elements are the rest of the file");
  const std::span<const std::byte> elements = file.subspan(array->offset);
  std::string again = npy_header(array->type, array->shape);
  const std::size_t header = again.size();
  again.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  const auto second = read_npy(std::as_bytes(std::span{again}));
  VYRE_CHECK(second.has_value(), "what we write is read");
  VYRE_CHECK(second->type == array->type && second->shape == array->shape && second->offset == header,
             "what we write is the same array");
  if (!elements.empty()) {
    static_cast<void>(element_text(elements, array->type));
    swap_bytes(std::as_writable_bytes(std::span{again}).subspan(header), array->type);
  }
  return 0;
}
