// Data files in both formats: the same samples, over and over, and every fault named with its
// place.
#include "exec/training/data_file.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/base/errors.h"
#include "tests/exec/training/scratch_folder.h"

namespace pipegraph {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Operator made(const std::string& name, std::vector<OperatorId> inputs, OperatorArithmetic does) {
  Operator op;
  op.name = name;
  op.inputs = std::move(inputs);
  op.arithmetic = does;
  return op;
}

/// x: 2 features; words: 2 indices below 5; fit: 2 targets; class: one of 3 for each of 2 rows.
ComputationGraph small_graph() {
  return ComputationGraph(
      "small",
      {made("x", {}, {.kind = Arithmetic::Input, .columns = 2}),
       made("words", {}, {.kind = Arithmetic::Input, .rows = 2, .columns = 1, .table_rows = 5}),
       made("fit", {OperatorId{0}}, {.kind = Arithmetic::MeanSquaredError, .columns = 1}),
       made("embedded", {OperatorId{1}},
            {.kind = Arithmetic::Embedding, .rows = 2, .columns = 3, .table_rows = 5}),
       made("class", {OperatorId{3}}, {.kind = Arithmetic::CrossEntropy, .columns = 1})});
}

TEST(DataFields, AreInputsAndLosses) {
  std::vector<std::string> texts;
  for (const DataField& field : data_fields(small_graph()))
    texts.push_back(fmt::format("{} {} {}x{} <{}", field.name, to_text(field.kind), field.rows,
                                field.columns, field.below));
  EXPECT_THAT(texts, ElementsAre("x features 1x2 <0", "words indices 2x1 <5", "fit targets 1x2 <0",
                                 "class classes 2x1 <3"));
}

/// Three samples of small_graph().
struct Samples {
  std::vector<float> x{0.5F, 1, 2, 3, 4, 5};
  std::vector<std::int32_t> words{0, 4, 1, 2, 3, 3};
  std::vector<float> fit{-1, -2, -3, -4, -5, -6};
  std::vector<std::int32_t> classes{0, 1, 2, 0, 1, 2};
};

class DataFiles : public test::ScratchFolder {
 protected:
  std::filesystem::path binary(const Samples& samples = {}) const {
    TensorFileWriter writer(path("data.tensors"), {{"x", ElementType::Float32, {3, 2}},
                                                   {"words", ElementType::Int32, {3, 2, 1}},
                                                   {"fit", ElementType::Float32, {3, 1, 2}},
                                                   {"class", ElementType::Int32, {3, 2}}});
    writer.append(std::as_bytes(std::span(samples.x)));
    writer.append(std::as_bytes(std::span(samples.words)));
    writer.append(std::as_bytes(std::span(samples.fit)));
    writer.append(std::as_bytes(std::span(samples.classes)));
    writer.commit();
    return path("data.tensors");
  }
  std::filesystem::path csv(const std::string& text) const {
    write_file(path("data.csv"), text);
    return path("data.csv");
  }
  std::unique_ptr<DataFile> open(const std::filesystem::path& file) const {
    return open_data(file, data_fields(small_graph()), 2);
  }
  std::string error_of(const std::filesystem::path& file) const {
    return message_of<ConfigError>([&] { open(file); });
  }
};

// Columns in another order than the operators, with a column that no operator reads.
const std::string k_header =
    "note,\"class[0]\",class[1],x[0],x[1],words[0], words[1],fit[0],fit[1]\n";
const std::string k_csv = k_header +
                          "first,0,1,0.5,1,0,4,-1,-2\n"
                          "\"a, b\",2,0, 2e0 ,3,1,2,-3,-4\r\n"
                          ",1,2,4,5,3,3,-5,-6\n";

template <class T>
std::vector<T> read(const DataSource& data, std::int32_t op, std::int64_t first, std::size_t n) {
  std::vector<T> values(n);
  data.read(OperatorId{op}, first, std::span<T>(values));
  return values;
}

TEST_F(DataFiles, HoldTheSameSamplesInBothFormats) {
  const Samples samples;
  for (const auto& file : {binary(), csv(k_csv)}) {
    const auto data = open(file);
    EXPECT_EQ(data->samples(), 3);
    EXPECT_EQ(read<float>(*data, 0, 0, 6), samples.x);
    EXPECT_EQ(read<std::int32_t>(*data, 1, 0, 6), samples.words);
    EXPECT_EQ(read<float>(*data, 2, 0, 6), samples.fit);
    EXPECT_EQ(read<std::int32_t>(*data, 4, 0, 6), samples.classes);
  }
}

TEST_F(DataFiles, TakeNumbersTooSmallForTheirTypeAsZero) {
  const auto data = open(csv(k_csv + "tiny,0,1,1e-400,-1e-400,0,4,1e-60,-2\n"));
  EXPECT_THAT(read<float>(*data, 0, 3, 2), ElementsAre(0, 0));
  EXPECT_THAT(read<float>(*data, 2, 3, 2), ElementsAre(0, -2));
}

TEST_F(DataFiles, HaveOneChecksumInBothFormatsAndAnotherForOtherSamples) {
  const std::vector<DataField> fields = data_fields(small_graph());
  const std::string checksum = checksum_of(*open(binary()), fields);
  EXPECT_EQ(checksum_of(*open(csv(k_csv)), fields), checksum);
  std::string other = k_csv;
  other.replace(other.find("-5,-6"), 2, "-7");
  EXPECT_NE(checksum_of(*open(csv(other)), fields), checksum);
  other = k_csv;
  other.replace(other.find("0,4,"), 1, "1");
  EXPECT_NE(checksum_of(*open(csv(other)), fields), checksum);
}

TEST_F(DataFiles, BeginAnewAfterTheLastSample) {
  for (const auto& file : {binary(), csv(k_csv)}) {
    const auto data = open(file);
    EXPECT_THAT(read<float>(*data, 0, 2, 4), ElementsAre(4, 5, 0.5F, 1));
    EXPECT_THAT(read<std::int32_t>(*data, 1, 3'000'000'001, 10),
                ElementsAre(1, 2, 3, 3, 0, 4, 1, 2, 3, 3));
  }
}

TEST_F(DataFiles, AreRefusedWhenShorterThanAMiniBatch) {
  for (const auto& file : {binary(), csv(k_csv)})
    EXPECT_THAT(
        message_of<ConfigError>([&] { open_data(file, data_fields(small_graph()), 4); }),
        AllOf(HasSubstr(file.string()), HasSubstr("has 3 samples"), HasSubstr("at least 4")));
  EXPECT_THAT(error_of(csv(k_header)), HasSubstr("has 0 samples"));
}

TEST_F(DataFiles, NameWhatIsNotANumber) {
  Samples samples;
  samples.x[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of(binary(samples)),
              AllOf(HasSubstr("data.tensors: x: is nan at sample 1, row 0, column 1"),
                    HasSubstr("finite")));
  samples = {};
  samples.fit[4] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(error_of(binary(samples)), HasSubstr("fit: is inf at sample 2, row 0, column 0"));
  const std::string rest = ",1,0,4,-1,-2\n";
  for (const std::string text : {"nan", "inf", "1e39", "1e400", "-1e400", "", "one", "1 2", "0x1"})
    EXPECT_THAT(error_of(csv(k_header + "note,0,1," + text + rest)),
                AllOf(HasSubstr("data.csv:2:10: x[0]: '" + text + "'"), HasSubstr("finite")));
}

TEST_F(DataFiles, NameIndicesAndClassesOutOfRange) {
  Samples samples;
  samples.words[5] = 5;
  EXPECT_THAT(
      error_of(binary(samples)),
      AllOf(HasSubstr("words: is 5 at sample 2, row 1, column 0"), HasSubstr("expected 0 to 4")));
  samples = {};
  samples.classes[2] = -1;
  EXPECT_THAT(error_of(binary(samples)),
              AllOf(HasSubstr("class: is -1 at sample 1, row 0"), HasSubstr("expected 0 to 2")));
  for (const std::string text : {"3", "-1", "1.5", "", "99999999999"})
    EXPECT_THAT(error_of(csv(k_header + "note,0," + text + ",1,1,0,4,-1,-2\n")),
                AllOf(HasSubstr("data.csv:2:8: class[1]: '" + text + "'"), HasSubstr("0 to 2")));
}

TEST_F(DataFiles, NameFieldsThatAreAbsentOrOfAnotherShape) {
  TensorFileWriter(path("none.tensors"), {}).commit();
  EXPECT_THAT(error_of(path("none.tensors")),
              AllOf(HasSubstr("no tensor 'x'"), HasSubstr("the file has none")));
  EXPECT_THAT(error_of(csv("x[0],words[0]\n")),
              AllOf(HasSubstr("data.csv:1: there is no column 'x[1]'"), HasSubstr("2 column(s)")));
  EXPECT_THAT(error_of(csv("")), HasSubstr("is empty"));

  const auto error_with = [&](TensorDescription x, TensorDescription words) {
    TensorFileWriter writer(path("wrong.tensors"), {x, words});
    writer.append(std::vector<std::byte>(byte_size(x) + byte_size(words)));
    writer.commit();
    return error_of(path("wrong.tensors"));
  };
  EXPECT_THAT(error_with({"x", ElementType::Float32, {3, 3}}, {"words", ElementType::Int32, {}}),
              AllOf(HasSubstr("x: is float32 [3, 3]"), HasSubstr("float32 [samples, 1, 2]")));
  EXPECT_THAT(error_with({"x", ElementType::Int32, {3, 2}}, {"words", ElementType::Int32, {}}),
              HasSubstr("x: is int32 [3, 2]"));
  EXPECT_THAT(
      error_with({"x", ElementType::Float32, {3, 2}}, {"words", ElementType::Int32, {4, 2}}),
      HasSubstr("words: has 4 samples, the fields before it 3"));
}

TEST_F(DataFiles, AreRefusedWhenCut) {
  const auto file = binary();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_THAT(error_of(file), AllOf(HasSubstr("ends after"), HasSubstr("inside tensor 'class'")));
  EXPECT_THAT(error_of(csv(k_csv.substr(0, k_csv.size() - 1))),
              AllOf(HasSubstr("the last line has no end"), HasSubstr("a line end behind")));
  EXPECT_THAT(error_of(csv(k_csv.substr(0, k_csv.size() - 7))),
              AllOf(HasSubstr("data.csv:4: fit[0]: has 7 fields"), HasSubstr("expected 9")));
  EXPECT_THAT(error_of(path("absent.csv")), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(folder()), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of("/dev/zero"), HasSubstr("is not a regular file"));
}

TEST_F(DataFiles, NameMisplacedQuotesAndRepeatedColumns) {
  EXPECT_THAT(error_of(csv("x[0],\"x[1]\n")), HasSubstr("data.csv:1:6"));
  EXPECT_THAT(error_of(csv("x[0],\"x[1]\"?,y\n")), HasSubstr("behind a quoted field"));
  EXPECT_THAT(error_of(csv("x[0],y,x[0]\n")), HasSubstr("two columns 'x[0]'"));
  EXPECT_THAT(error_of(csv("\"say \"\"x\"\"\",\"say \"\"x\"\"\"\n")),
              HasSubstr("two columns 'say \"x\"'"));
}

}  // namespace
}  // namespace pipegraph
