#include "cli/interrupt.h"

#include <signal.h>

namespace jade::cli {
namespace {

std::atomic<bool> flag = false;

}  // namespace

void listen_for_interrupt() {
  flag = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { flag = true; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
}

const std::atomic<bool>& interrupted() { return flag; }

}  // namespace jade::cli
