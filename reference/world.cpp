#include "reference/world.h"

#include <chrono>
#include <cmath>

#include "jade/base/error.h"

namespace jade::reference {
namespace {

void check(const RunRequest& request) {
  std::vector<Mistake> mistakes;
  if (!(request.time_step > 0) || !std::isfinite(request.time_step)) {
    mistakes.push_back({"time_step", "is not a positive number", "give seconds, such as 0.01"});
  }
  if (request.steps < 0) mistakes.push_back({"steps", "is negative", "give how many steps to take"});
  if (request.record_every < 1)
    mistakes.push_back({"record_every", "is below 1", "give 1 to record each step"});
  if (!mistakes.empty()) throw InvalidInput("request", mistakes);
}

}  // namespace

RunEnd run_world(const WorldFactory& factory, const RunRequest& request, const RecordingSink& sink) {
  using Clock = std::chrono::steady_clock;
  RunEnd end;
  Clock::duration stepping{};
  try {
    check(request);
    const std::unique_ptr<World> world = factory(request);
    std::vector<std::string> names;
    for (const BodyDescription& body : request.scene.bodies) names.push_back(body.name);
    sink.on_header(world->info(), names);
    sink.on_frame(world->frame());

    for (int done = 0; done < request.steps;) {
      const int batch = std::min(request.record_every, request.steps - done);
      const Clock::time_point start = Clock::now();
      for (int i = 0; i < batch; ++i) world->step();
      stepping += Clock::now() - start;
      done += batch;
      Frame frame = world->frame();
      frame.time = done * request.time_step;
      sink.on_frame(frame);
    }
    end.lost_time = world->lost_time();
  } catch (const NotApplicable& limit) {
    end = {RunStatus::not_applicable, limit.what()};
  } catch (const std::exception& error) {
    end = {RunStatus::error, error.what()};
  }
  end.wall_seconds = std::chrono::duration<double>(stepping).count();
  return end;
}

Recording record(const WorldFactory& factory, const RunRequest& request) {
  Recording recording;
  recording.info.engine = request.engine;
  const RunEnd end = run_world(factory, request,
                               {.on_header =
                                    [&](const EngineInfo& info, const std::vector<std::string>& bodies) {
                                      recording.info = info;
                                      recording.bodies = bodies;
                                    },
                                .on_frame = [&](const Frame& frame) { recording.frames.push_back(frame); }});
  recording.status = end.status;
  recording.reason = end.reason;
  recording.wall_seconds = end.wall_seconds;
  recording.lost_time = end.lost_time;
  return recording;
}

}  // namespace jade::reference
