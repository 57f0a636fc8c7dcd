#include "exec/transport/mpi/mpi_exchange.h"

#include <algorithm>
#include <vector>

#include "exec/transport/copy_pieces.h"
#include "exec/transport/mpi/mpi_call.h"

namespace pipegraph {

namespace {

/// Lists in MPI's units; a block stays below what an int counts.
struct Blocks {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
};

Blocks blocks_of(std::span<const Piece> pieces) {
  constexpr std::uint64_t k_longest = 1U << 30;
  Blocks blocks;
  for (const Piece& piece : pieces)
    for (std::uint64_t at = 0; at < piece.bytes.count; at += k_longest) {
      MPI_Aint place = 0;
      MPI_Get_address(piece.data + at, &place);
      blocks.places.push_back(place);
      blocks.lengths.push_back(static_cast<int>(std::min(k_longest, piece.bytes.count - at)));
    }
  return blocks;
}

/// A type that stands for the pieces where they lie; MPI_DATATYPE_NULL without any bytes.
MPI_Datatype make_layout(std::span<const Piece> pieces) {
  const Blocks blocks = blocks_of(pieces);
  if (blocks.lengths.empty()) return MPI_DATATYPE_NULL;
  MPI_Datatype layout = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hindexed(static_cast<int>(blocks.lengths.size()), blocks.lengths.data(),
                                     blocks.places.data(), MPI_BYTE, &layout),
            "describing a message");
  check_mpi(MPI_Type_commit(&layout), "describing a message");
  return layout;
}

}  // namespace

MpiExchange::MpiExchange(const MessageCommunicators& comms, int peer, const MessageHalf& half)
    : comms_(comms), peer_(peer), half_(half), layout_(make_layout(half.pieces)) {
  const int tag = half.channel.value;
  const bool sends = half.half == Half::Send;
  if (sends) {
    header_ = {half.bytes.count, half.posted.count(), half.instruction.value, half.element_bytes};
    check_mpi(MPI_Isend(&header_, sizeof header_, MPI_BYTE, peer, tag, comms_.headers.get(),
                        &requests_[HeaderPart]),
              "sending a header");
    check_mpi(MPI_Irecv(&receipt_s_, 1, MPI_DOUBLE, peer, tag, comms_.receipts.get(),
                        &requests_[ReceiptPart]),
              "awaiting a receipt");
  } else {
    check_mpi(MPI_Irecv(&header_, sizeof header_, MPI_BYTE, peer, tag, comms_.headers.get(),
                        &requests_[HeaderPart]),
              "awaiting a header");
  }
  if (layout_ == MPI_DATATYPE_NULL) return;
  if (sends)
    check_mpi(MPI_Isend(MPI_BOTTOM, 1, layout_, peer, tag, comms_.data.get(), &requests_[DataPart]),
              "sending data");
  else
    check_mpi(MPI_Irecv(MPI_BOTTOM, 1, layout_, peer, tag, comms_.data.get(), &requests_[DataPart]),
              "awaiting data");
}

MpiExchange::~MpiExchange() {
  if (layout_ != MPI_DATATYPE_NULL) MPI_Type_free(&layout_);
}

bool MpiExchange::pending() const {
  return std::ranges::any_of(requests_,
                             [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
}

bool MpiExchange::parts_done() {
  bool all = true;
  for (std::size_t part = 0; part < requests_.size(); ++part) {
    if (requests_[part] == MPI_REQUEST_NULL) continue;
    int done = 0;
    const int result = MPI_Test(&requests_[part], &done, MPI_STATUS_IGNORE);
    // Too much data: the header, which may still be on its way, says it better.
    if (part == DataPart && result != MPI_SUCCESS) {
      data_result_ = result;
      requests_[part] = MPI_REQUEST_NULL;
      continue;
    }
    check_mpi(result, "exchanging a message");
    all = all && done != 0;
  }
  return all;
}

MpiExchange::State MpiExchange::look() {
  if (!parts_done()) return State::Pending;
  if (arrived_) return State::Finished;
  arrived_ = true;
  if (sent().bytes == half_.bytes) check_mpi(data_result_, "exchanging a message");
  if (half_.half == Half::Recv) post_receipt();
  return State::Arrived;
}

void MpiExchange::post_receipt() {
  receipt_s_ = half_.posted.count();
  check_mpi(MPI_Isend(&receipt_s_, 1, MPI_DOUBLE, peer_, half_.channel.value, comms_.receipts.get(),
                      &requests_[ReceiptPart]),
            "sending a receipt");
}

MessageHalf MpiExchange::sent() const {
  MessageHalf sent = half_;
  sent.half = Half::Send;
  sent.instruction = InstructionId{header_.instruction};
  sent.bytes = {header_.bytes};
  sent.element_bytes = static_cast<std::uint8_t>(header_.element_bytes);
  return sent;
}

Seconds MpiExchange::other_posted() const {
  return Seconds{half_.half == Half::Send ? receipt_s_ : header_.posted_s};
}

}  // namespace pipegraph
