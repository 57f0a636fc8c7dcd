// One half of a message between processes, from the first of its three parts to the last.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "exec/transport/mpi/mpi_communicator.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// By what messages consist of.
struct MessageCommunicators {
  MpiCommunicator headers, data, receipts;
};

class MpiExchange {
 public:
  /// Posts what can be posted. `peer` is the rank at the other end. Errors: MachineError.
  MpiExchange(const MessageCommunicators& comms, int peer, const MessageHalf& half);
  ~MpiExchange();
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  enum class State : std::uint8_t {
    Pending,
    Arrived,   ///< since the last look
    Finished,  ///< arrived before, and nothing of it is on its way any more
  };
  /// Errors: MachineError of MPI.
  State look();

  /// Whether MPI may still read or write what belongs to this.
  bool pending() const;
  const MessageHalf& half() const { return half_; }
  /// Of an arrived half: what the sender said of the message; differs only by mistake.
  MessageHalf sent() const;
  Seconds other_posted() const;

 private:
  /// Plain bytes; all ranks run the same program.
  struct Header {
    std::uint64_t bytes = 0;
    double posted_s = 0.0;
    std::int32_t instruction = -1;
    std::int32_t element_bytes = 4;
  };
  enum Part : std::uint8_t { HeaderPart, DataPart, ReceiptPart };

  bool parts_done();
  void post_receipt();

  const MessageCommunicators& comms_;
  int peer_;
  MessageHalf half_;
  Header header_;
  double receipt_s_ = 0.0;
  MPI_Datatype layout_ = MPI_DATATYPE_NULL;
  std::array<MPI_Request, 3> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int data_result_ = MPI_SUCCESS;
  bool arrived_ = false;
};

}  // namespace pipegraph
