// Runs numbered pieces of work on several threads and hands the results on in the order of the numbers.
// Neighbours: translate.cc, with one session per worker.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace dragoman::cli {

// Work and Result are movable values.
template <typename Work, typename Result>
class OrderedJobs {
 public:
  using Do = std::function<Result(size_t worker, const Work&)>;
  using HandOn = std::function<bool(const Result&)>;  // in order, one at a time, from any thread; false: stop

  // With one worker everything runs in submit(), without a thread; so it does where no thread can be started. Where
  // only some can, those do the work.
  OrderedJobs(size_t num_workers, Do work, HandOn hand_on)
      : num_workers_(num_workers), do_(std::move(work)), hand_on_(std::move(hand_on)) {
    for (size_t i = 0; num_workers > 1 && i < num_workers && start_worker(i); ++i) {
    }
  }
  ~OrderedJobs() { finish(); }
  OrderedJobs(const OrderedJobs&) = delete;
  OrderedJobs& operator=(const OrderedJobs&) = delete;

  // Waits while too much is in flight. False once hand_on has said stop.
  bool submit(Work work) {
    if (threads_.empty()) {
      if (!stopped_) stopped_ = !hand_on_(do_(0, work));
      return !stopped_;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    room_.wait(lock, [this] { return stopped_ || next_submit_ - next_hand_on_ < kInFlight * num_workers_; });
    if (stopped_) return false;
    queue_.emplace_back(next_submit_++, std::move(work));
    work_.notify_one();
    return true;
  }

  // Waits until all is handed on. Call submit() no more.
  void finish() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  static constexpr uint64_t kInFlight = 4;  // pieces per worker, done or not: bounds the memory of waiting results

  // False when the system has no further thread to give.
  bool start_worker(size_t worker) {
    try {
      threads_.emplace_back([this, worker] { run(worker); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  void run(size_t worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      work_.wait(lock, [this] { return closed_ || stopped_ || !queue_.empty(); });
      if (stopped_ || queue_.empty()) return;
      std::pair<uint64_t, Work> item = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      Result result = do_(worker, item.second);
      lock.lock();
      done_.emplace(item.first, std::move(result));
      hand_on_finished();
    }
  }

  void hand_on_finished() {
    for (auto found = done_.find(next_hand_on_); !stopped_ && found != done_.end(); found = done_.find(next_hand_on_)) {
      stopped_ = !hand_on_(found->second);
      done_.erase(found);
      ++next_hand_on_;
    }
    room_.notify_all();
    if (stopped_) work_.notify_all();
  }

  const size_t num_workers_;
  const Do do_;
  const HandOn hand_on_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable room_;
  std::deque<std::pair<uint64_t, Work>> queue_;
  std::map<uint64_t, Result> done_;
  uint64_t next_submit_ = 0;
  uint64_t next_hand_on_ = 0;
  bool closed_ = false;
  bool stopped_ = false;
};

}  // namespace dragoman::cli
