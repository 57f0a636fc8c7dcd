// Tensor files read back as they were written, and every way to damage one is named.
#include "exec/training/tensor_file.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

#include "core/base/errors.h"
#include "tests/exec/training/scratch_folder.h"

namespace pipegraph {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

class TensorFiles : public test::ScratchFolder {
 protected:
  /// x: 2 x 3 floats 0 ... 5, nothing: 0 floats, k: 4 whole numbers 10 ... 13.
  std::filesystem::path small() const {
    const std::vector<float> x{0, 1, 2, 3, 4, 5};
    const std::vector<std::int32_t> k{10, 11, 12, 13};
    TensorFileWriter writer(path("small.tensors"), {{"x", ElementType::Float32, {2, 3}},
                                                    {"nothing", ElementType::Float32, {0, 3}},
                                                    {"k", ElementType::Int32, {4}}});
    writer.append(std::as_bytes(std::span(x)));
    writer.append(std::as_bytes(std::span(k)));
    writer.commit();
    return path("small.tensors");
  }

  /// A file of that header, followed by `zeros` bytes.
  std::filesystem::path with_header(const std::string& header, std::size_t zeros) const {
    std::string bytes = "PGTENSOR";
    bytes += std::string("\1\0\0\0", 4);
    const auto length = static_cast<std::uint32_t>(header.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    write_file(path("made.tensors"), bytes + header + std::string(zeros, '\0'));
    return path("made.tensors");
  }

  std::string error_of(const std::filesystem::path& file) const {
    return message_of<ConfigError>([&] { TensorFile{file}; });
  }
};

TEST_F(TensorFiles, ReadBackWhatWasWritten) {
  const TensorFile file(small());
  ASSERT_EQ(file.tensors().size(), 3);
  EXPECT_EQ(file.tensors()[0], (TensorDescription{"x", ElementType::Float32, {2, 3}}));
  std::vector<float> x(6);
  file.read(0, 0, std::as_writable_bytes(std::span(x)));
  EXPECT_EQ(x, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  std::vector<std::int32_t> k(2);
  file.read(file.find("k").value(), 8, std::as_writable_bytes(std::span(k)));
  EXPECT_EQ(k, (std::vector<std::int32_t>{12, 13}));
  EXPECT_FALSE(file.find("y").has_value());
}

TEST_F(TensorFiles, DoNotDependOnThePiecesTheyWereWrittenIn) {
  const std::string whole = read_file(small());
  std::vector<std::uint32_t> words{0,          0x3F800000, 0x40000000, 0x40400000, 0x40800000,
                                   0x40A00000, 10,         11,         12,         13};
  TensorFileWriter writer(path("pieces.tensors"), {{"x", ElementType::Float32, {2, 3}},
                                                   {"nothing", ElementType::Float32, {0, 3}},
                                                   {"k", ElementType::Int32, {4}}});
  writer.append(std::as_bytes(std::span(words)).first(25));
  writer.append(std::as_bytes(std::span(words)).subspan(25));
  writer.commit();
  EXPECT_EQ(read_file(path("pieces.tensors")), whole);
}

TEST_F(TensorFiles, BeginEveryTensorAtAMultipleOf64) {
  const std::string bytes = read_file(small());
  const float one = 1.0F;
  const std::int32_t ten = 10;
  const std::string_view text = bytes;
  const auto x = text.find(std::string_view(reinterpret_cast<const char*>(&one), 4), 64) - 4;
  EXPECT_EQ(x % 64, 0);
  EXPECT_EQ(text.rfind(std::string_view(reinterpret_cast<const char*>(&ten), 4)) % 64, 0);
}

TEST_F(TensorFiles, HaveNoNameBeforeTheyAreWhole) {
  {
    TensorFileWriter writer(path("half.tensors"), {{"x", ElementType::Float32, {2}}});
    writer.append(std::vector<std::byte>(4));
    EXPECT_THROW(writer.commit(), InternalError);
  }
  EXPECT_EQ(files_in(folder()), 0);
}

TEST_F(TensorFiles, AreRefusedWhenCutAtAnyByte) {
  const auto file = small();
  for (std::uint64_t bytes = std::filesystem::file_size(file); bytes-- > 0;) {
    std::filesystem::resize_file(file, bytes);
    const std::string problem =
        bytes < 8 ? "is not a tensor file" : fmt::format("ends after {} bytes", bytes);
    EXPECT_THAT(error_of(file), AllOf(HasSubstr("small.tensors"), HasSubstr(problem)));
  }
}

TEST_F(TensorFiles, NameTheTensorThatIsCutOff) {
  const auto file = small();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_THAT(error_of(file), HasSubstr("inside tensor 'k'"));
}

TEST_F(TensorFiles, AreRefusedWithBrokenHeaders) {
  const auto error = [&](const std::string& header) { return error_of(with_header(header, 64)); };
  EXPECT_THAT(error("{"), HasSubstr("made.tensors:"));
  EXPECT_THAT(error("[]"), HasSubstr("made.tensors:"));
  EXPECT_THAT(
      error(R"({"tensors": [{"name": "x", "type": "float64", "shape": [1], "offset": 0}]})"),
      AllOf(HasSubstr("tensors[0].type"), HasSubstr("float64"), HasSubstr("float32")));
  EXPECT_THAT(error(R"({"tensors": [{"name": "x", "type": "int32", "shape": [-1], "offset": 0}]})"),
              HasSubstr("tensors[0].shape"));
  EXPECT_THAT(error(R"({"tensors": [{"name": "x", "type": "int32", "shape": [281474976710656, )"
                    R"(281474976710656], "offset": 0}]})"),
              HasSubstr("too many elements"));
  EXPECT_THAT(error(R"({"tensors": [{"name": "x", "type": "int32", "shape": [17], "offset": 0}]})"),
              HasSubstr("inside tensor 'x'"));
  EXPECT_THAT(error(R"({"tensors": [{"name": "x", "type": "int32", "shape": [1], "offset": 0},)"
                    R"({"name": "x", "type": "int32", "shape": [1], "offset": 0}]})"),
              HasSubstr("two tensors 'x'"));
}

TEST_F(TensorFiles, AreRefusedWhenTheyAreSomethingElse) {
  write_file(path("text"), "x,y\n1,2\n");
  EXPECT_THAT(error_of(path("text")), HasSubstr("is not a tensor file"));
  EXPECT_THAT(error_of(folder()), HasSubstr("is not a regular file"));
  EXPECT_THAT(error_of(path("absent")), HasSubstr("cannot be read"));
  auto bytes = read_file(small());
  bytes[8] = 2;
  write_file(path("newer"), bytes);
  EXPECT_THAT(error_of(path("newer")), AllOf(HasSubstr("format 2"), HasSubstr("format 1")));
}

TEST_F(TensorFiles, SayWhenTheyShrinkWhileBeingRead) {
  const TensorFile file(small());
  std::filesystem::resize_file(file.path(), 100);
  std::vector<std::byte> into(16);
  EXPECT_THAT(message_of<MachineError>([&] { file.read(2, 0, into); }),
              AllOf(HasSubstr("tensor 'k'"), HasSubstr("shorter")));
}

}  // namespace
}  // namespace pipegraph
