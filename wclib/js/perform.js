// One performance: set-up, frames and timers in order of virtual time, until the sketch is done or has had enough.

async function flush() {
  try { await painter._runLifecycleHook("postdraw"); } catch { /* a page without a usable canvas has nothing to flush */ }
}
function runDue(due) {
  clock.now = Math.max(clock.now, due.at);
  // Never waited for: an async callback may itself be waiting for a timer.
  const run = async (item, args) => {
    try { await apply(item.callback, undefined, args); } catch (error) { note(error); stage.failed = true; }
  };
  if (due.frames) {
    frameRequests = new Map();
    for (const request of due.frames) {
      run(request, [clock.now]);
    }
  } else {
    if (due.every) timers.get(due.id).at += due.every;
    else timers.delete(due.id);
    run(due, due.args);
  }
}
/** Why the sketch is over, or "" while it is not. */
function ending(events) {
  const idle = stage.drawing === 0;
  if (stage.tooLarge) return "too large";
  if (stage.failed && !stage.setupDone) return "setup threw";
  if (idle && stage.setupDone && painter._loop) {
    const budget = stage.repaints >= stage.frames ? LIMITS.repaintShapes : LIMITS.loopShapes;
    if (stage.frames >= LIMITS.frames || stage.shapes >= budget) return "enough frames";
  }
  if (clock.now > LIMITS.virtualMs || events > LIMITS.events) return "waited too long";
  return "";
}
async function perform() {
  if (!stage.setup && !stage.draw) return "no sketch";
  openGate();
  let quiet = 0;
  for (let events = 0; ; events++) {
    await nativeMacrotask();
    if (stage.shapes > stage.flushed && stage.setupDone && !stage.drawing) {
      await flush(); // paint laid down by a timer, outside any frame
      stage.flushed = stage.shapes;
    }
    const why = ending(events);
    if (why) return why;
    const due = nextDue();
    if (due) {
      quiet = 0;
      runDue(due);
    } else if (stage.setupDone && stage.frames > 0 && stage.drawing === 0) {
      return "done";
    } else if (++quiet > 8) {
      if (errors.length) return "threw";
      return stage.setupDone ? "draw never ends" : "setup never ends";
    }
  }
}
const keeper = Object.freeze({
  __proto__: null,
  async start(setup, draw) {
    stage.setup = setup;
    stage.draw = draw;
    const why = await perform();
    await nativePause(); // policy violations and rejections are reported a moment later
    if (why === "draw never ends" || why === "setup never ends") note(`${why}: it waits for something that never happens`);
    await flush();
    return toJSON({ why, ended: stage.drawing === 0 && stage.setupDone, frames: stage.frames, errors, trips, calls,
      tooLarge: stage.tooLarge ?? "" });
  },
  note,
  canvas: () => painter.canvas ?? null,
});
lockPage();
return keeper;
