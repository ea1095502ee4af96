#include "reference/child_groups.h"

#include <array>
#include <atomic>

#include <signal.h>

namespace jade::reference {
namespace {

// A fixed table of atomics is all that a signal handler may read. Every thread of the largest campaign finds a place for
// each of a dozen programs; one that found none would merely not be ended early.
std::array<std::atomic<pid_t>, 16384> groups;

void replace(pid_t old, pid_t now) {
  for (std::atomic<pid_t>& place : groups) {
    pid_t expected = old;
    if (place.compare_exchange_strong(expected, now)) return;
  }
}

}  // namespace

void remember_child_group(pid_t leader) { replace(0, leader); }

void forget_child_group(pid_t leader) { replace(leader, 0); }

void kill_child_groups() {
  for (const std::atomic<pid_t>& place : groups) {
    if (const pid_t leader = place; leader > 0) kill(-leader, SIGKILL);
  }
}

}  // namespace jade::reference
