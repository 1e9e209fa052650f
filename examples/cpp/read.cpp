// Reads files in another thread, prints the number of rows, and stops after some milliseconds:
//
//     read MILLISECONDS PATH
//
// The classes free what the library gives, and throw its errors.
#include <arrowfeed.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

class Error : public std::runtime_error {
 public:
  // Frees the error.
  explicit Error(arrowfeed_error *error)
      : std::runtime_error(arrowfeed_error_message(error)), kind_(arrowfeed_error_kind(error)) {
    arrowfeed_error_free(error);
  }

  int kind() const { return kind_; }

 private:
  int kind_;
};

class Cancel {
 public:
  void request() { arrowfeed_cancel(handle_.get()); }
  const arrowfeed_cancel_handle *get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(arrowfeed_cancel_handle *handle) const { arrowfeed_cancel_free(handle); }
  };
  std::unique_ptr<arrowfeed_cancel_handle, Free> handle_{arrowfeed_cancel_new()};
};

class Batch {
 public:
  explicit Batch(const ArrowArray &array) : array_(array) {}
  Batch(const Batch &) = delete;
  ~Batch() {
    if (array_.release) array_.release(&array_);
  }

  std::int64_t rows() const { return array_.length; }

 private:
  ArrowArray array_;
};

class Stream {
 public:
  explicit Stream(const ArrowArrayStream &stream) : stream_(stream) {}
  Stream(const Stream &) = delete;
  Stream(Stream &&other) noexcept : stream_(other.stream_) { other.stream_.release = nullptr; }
  ~Stream() {
    if (stream_.release) stream_.release(&stream_);
  }

  // Null at the end.
  std::unique_ptr<Batch> next() {
    ArrowArray array;
    if (stream_.get_next(&stream_, &array)) throw Error(arrowfeed_stream_error(&stream_));
    return array.release ? std::make_unique<Batch>(array) : nullptr;
  }

 private:
  ArrowArrayStream stream_;
};

class Dataset {
 public:
  Dataset(const std::string &options, const Cancel &cancel) {
    arrowfeed_dataset *dataset;
    arrowfeed_error *error;
    if (arrowfeed_open(options.data(), options.size(), cancel.get(), &dataset, &error)) throw Error(error);
    dataset_.reset(dataset);
  }

  Stream read(const std::string &options, const Cancel &cancel) const {
    ArrowArrayStream stream;
    arrowfeed_error *error;
    if (arrowfeed_read(dataset_.get(), options.data(), options.size(), cancel.get(), &stream, &error))
      throw Error(error);
    return Stream(stream);
  }

 private:
  struct Free {
    void operator()(arrowfeed_dataset *dataset) const { arrowfeed_dataset_free(dataset); }
  };
  std::unique_ptr<arrowfeed_dataset, Free> dataset_;
};

int main(int argc, char **argv) {
  if (argc != 3 || std::string(argv[2]).find_first_of("\"\\") != std::string::npos) {
    std::cerr << "usage: read MILLISECONDS PATH\n";
    return 2;
  }
  const std::string path = argv[2];
  Cancel cancel;
  std::int64_t rows = 0;
  std::future<void> reading = std::async(std::launch::async, [&] {
    const Dataset dataset("{\"paths\": \"" + path + "\"}", cancel);
    // Epoch after epoch, until the reading is cancelled.
    Stream stream = dataset.read(R"({"epochs": null})", cancel);
    while (const auto batch = stream.next()) rows += batch->rows();
  });
  // An error ends the reading, and the wait.
  reading.wait_for(std::chrono::milliseconds(std::atoi(argv[1])));
  cancel.request();
  try {
    reading.get();
  } catch (const Error &error) {
    if (error.kind() != ARROWFEED_ERROR_CANCELLED) {
      std::cerr << error.what() << "\n";
      return 1;
    }
  }
  std::cout << "read until it was cancelled: " << (rows > 0 ? "some rows" : "no row") << "\n";
  return 0;
}
