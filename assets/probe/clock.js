// clock.js: the game clock's scheduler, and the timers and animation frames that live by it.
//
// In:  core.js's T; calls of `T.root.clock` from outside.
// Out: `T.root.clock`, one scheduler in the root whatever frames there are; timers.js, dates.js and motion.js hang
//      the page's own faces of time on it.
// Must never know: what the page draws; who steps, and why.
//
// Game time `v` is in ms on the root's performance.now() scale. It stands still outside of `step`.

/** Animation frames come on a 60 Hz grid of game time, whatever the machine. */
const FRAME_MS = 1000 / 60;
/** Where game time starts. Not 0: pages write `if (!lastTime)`. */
const START_MS = 100;
/** A callback that reads the time so often is taken to wait for it to pass ... */
const BUSY_READS = 10_000;
/** ... and from then on every read moves time by this much, so that busy waits end: a wait of 16 ms takes 13 200 reads. */
const CREEP_MS = 0.005;
/** HTML: timers nested deeper than five levels wait 4 ms at least. */
const NESTING_LIMIT = 5;
const NESTED_MS = 4;

/** A binary heap of timers, earliest first, in the order of their making when equal. Cleared timers stay until due. */
class TimerHeap {
  items = [];
  dead = 0;

  static before(a, b) {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  push(timer) {
    const items = this.items;
    let i = items.push(timer) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (!TimerHeap.before(timer, items[up])) break;
      items[i] = items[up];
      i = up;
    }
    items[i] = timer;
  }

  /** The earliest timer not cleared, or undefined. */
  peek() {
    while (this.items.length && !this.items[0].live) {
      this.pop();
      this.dead--;
    }
    return this.items[0];
  }

  pop() {
    const items = this.items;
    const first = items[0];
    const last = items.pop();
    if (!items.length) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && TimerHeap.before(items[child + 1], items[child])) child++;
      if (!TimerHeap.before(items[child], last)) break;
      items[i] = items[child];
      i = child;
    }
    items[i] = last;
    return first;
  }

  /** A page that sets and clears far-off timers all day must not fill the memory. */
  cleared() {
    if (++this.dead < 64 || this.dead * 2 < this.items.length) return;
    const live = this.items.filter((timer) => timer.live);
    this.items = [];
    this.dead = 0;
    for (const timer of live) this.push(timer);
  }
}

/** Counters of what may keep time behind our back, and of what ran; of the whole family of frames. */
const makeCounts = () => ({
  /** Callbacks run, those that threw, animation frames, steps, time reads by which a busy wait moved the time. */
  calls: 0, errors: 0, frames: 0, steps: 0, busyReads: 0,
  /** Workers and audio contexts made, reads of an audio context's clock and of an animation timeline. */
  workers: 0, audio: 0, audioClockReads: 0, timelineReads: 0,
  /** Times the browser refused what a hook of ours asked. */
  faults: 0,
  /** CSS transitions, CSS animations and element.animate() taken over so far. */
  animations: 0,
  /** Times that the browser was waited for to tell the page of their ends. */
  ends: 0,
  /** Frames that WebGL was not drawn in because they would have shown the same. */
  alike: 0,
});

const makeClock = () => {
  // Nobody outside can step a frame whose parents are of another origin: it lives in real time.
  const virtual = CFG.mode === "virtual" && W === W.top;
  const heap = new TimerHeap();
  const counts = makeCounts();
  let v = START_MS;
  let order = 0;
  let nesting = 0;
  let reads = 0;
  /** Frames done so far on the grid START_MS + k * FRAME_MS; counted, because adding thirds drifts. */
  let frameCount = 0;
  let lastFrame = START_MS;
  let halted = false;
  /** The last step asked for, while it is not over. */
  let current = null;
  /** Counts callbacks and frames begun; with `waiting` it tells a running step from one that was killed. */
  let turns = 0;
  let waiting = false;
  let firing = null;
  /** Called at each animation frame: `frame` before its callbacks with (ms since the last, is it the step's last?, bulk),
   *  and waited for; `frameEnd` after them with (is it the step's last?). */
  const hooks = { frame: [], frameEnd: [] };

  const frameAt = () => START_MS + (frameCount + 1) * FRAME_MS;

  /** The time as the page reads it. */
  const read = () => {
    if (++reads > BUSY_READS) {
      v += CREEP_MS;
      counts.busyReads++;
    } else if (reads === BUSY_READS >> 1) {
      // Outside of a step nothing else tells one task from the next: this message can only arrive in another one.
      tick().then(() => (reads = 0));
    }
    return v;
  };

  const addTimer = (member, run, delay, repeat) => {
    let wait = Math.max(delay, 1);
    if (nesting >= NESTING_LIMIT) wait = Math.max(wait, NESTED_MS);
    const timer = { at: v + wait, order: ++order, member, run, period: repeat ? wait : 0, nesting: nesting + 1, live: true };
    heap.push(timer);
    return timer;
  };
  const clearTimer = (timer) => {
    if (!timer.live) return;
    timer.live = false;
    if (!timer.firing) heap.cleared();
  };

  /** Runs a callback of the page. What it throws is the page's uncaught error, as natively, and ends nothing here. */
  const invoke = (member, run) => {
    reads = 0;
    turns++;
    counts.calls++;
    try {
      run();
    } catch (error) {
      counts.errors++;
      member.native.reportError(error);
    }
  };

  const fire = async (timer) => {
    heap.pop();
    v = Math.max(v, timer.at);
    if (timer.member !== T && !timer.member.alive()) {
      timer.live = false;
      return 0;
    }
    nesting = timer.nesting;
    timer.firing = true;
    firing = timer;
    if (!timer.period) timer.live = false;
    invoke(timer.member, timer.run);
    // Promise continuations belong to the callback: its nesting level holds until they have settled.
    await settle();
    rearm(timer);
    return 1;
  };

  /** After its callback an interval waits for its next turn. */
  const rearm = (timer) => {
    nesting = 0;
    firing = null;
    timer.firing = false;
    if (timer.live) {
      timer.nesting++;
      if (timer.nesting > NESTING_LIMIT) timer.period = Math.max(timer.period, NESTED_MS);
      // A late interval does not fire in a burst; it keeps its phase.
      const missed = Math.max(0, Math.floor((v - timer.at) / timer.period));
      timer.at += timer.period * (missed + 1);
      timer.order = ++order;
      heap.push(timer);
    }
  };

  const animationFrame = async (last, bulk) => {
    const before = lastFrame;
    v = Math.max(v, frameAt());
    lastFrame = v;
    // A frame missed by a busy wait is dropped, not made up for.
    frameCount = Math.max(frameCount + 1, Math.floor((v - START_MS) / FRAME_MS + 1e-6));
    counts.frames++;
    let calls = 0;
    turns++;
    waiting = true;
    try {
      for (const hook of hooks.frame) await hook(v - before, last, bulk);
    } catch {
      counts.faults++; // the browser would not do as asked; the page's own callbacks go on
    }
    waiting = false;
    for (const { T: member } of T.frames()) {
      const batch = member.animationFrames;
      if (!batch.size) continue;
      member.animationFrames = new Map();
      member.currentFrames = batch;
      for (const [id, callback] of batch) {
        batch.delete(id);
        invoke(member, () => Reflect.apply(callback, member.window, [v - member.birth]));
        calls++;
        await settle();
      }
    }
    for (const hook of hooks.frameEnd) hook(last);
    // Loops driven by messages see the time pass, too.
    if (!calls) await settle();
    return calls;
  };

  const pending = () => T.members.reduce((sum, member) => sum + member.animationFrames.size, 0);

  const report = (calls, frames) => {
    const next = heap.peek();
    return { now: v - START_MS, calls, frames, nextTimer: next ? Math.max(0, next.at - v) : null, rafs: pending() };
  };

  const advance = async (ms, bulk) => {
    const target = v + Math.max(0, Number(ms) || 0);
    const slack = target + 1e-6;
    let calls = 0;
    let frames = 0;
    counts.steps++;
    halted = false;
    while (!halted) {
      const timer = heap.peek();
      const nextFrame = Math.max(v, frameAt());
      if (timer && timer.at <= slack && timer.at <= nextFrame) calls += await fire(timer);
      else if (nextFrame <= slack) {
        calls += await animationFrame(nextFrame + FRAME_MS > slack, bulk);
        frames++;
      } else break;
    }
    if (!halted && target > v) v = target;
    reads = 0;
    await settle();
    return report(calls, frames);
  };

  /** Waits for the step before. Code that never returns can be ended from outside (Runtime.terminateExecution), and the
   *  step that called it ends with it, without a word: then no turn comes however often the event loop goes round. */
  const settled = async (before) => {
    let done = false;
    const over = () => (done = true);
    before.then(over, over);
    await tick();
    while (!done) {
      const seen = turns;
      for (let i = 0; i < 4 && !done; i++) await tick();
      if (done || turns !== seen || waiting) continue;
      if (firing) rearm(firing);
      return;
    }
  };

  const started = T.native.now();
  return {
    virtual, counts, hooks, read, addTimer, clearTimer,
    /** (canvas) -> the part of it that the step's last frame is looked at in, [x, y, w, h] from its bottom left, or null
     *  for all of it; null where everything is wanted. */
    part: null,
    /** Does something show an older picture, but for the part that was wanted? The next frame without a `part` mends it. */
    behind: false,
    /** Did that come about only in the last step's last frame? Who wants to look then has one more drawn. */
    missed: false,
    /** What was drawn of a canvas of which only a part is as it should be: see webgl.js. */
    stands: new WeakMap(),
    /** The time unread: for our own use, it never creeps. */
    peek: () => v,
    now: () => (virtual ? v - START_MS : T.native.now() - started),
    /** Runs what is due in the next `ms` of game time. Steps asked for at once run one after the other. */
    step(ms, { bulk = false } = {}) {
      if (!virtual) return Promise.resolve({ now: this.now(), calls: 0, frames: 0, nextTimer: null, rafs: 0 });
      const before = current;
      const mine = (async () => {
        if (before) await settled(before);
        return advance(ms, bulk);
      })();
      current = mine;
      const over = () => {
        if (current === mine) current = null;
      };
      mine.then(over, over);
      return mine;
    },
    /** Steps to the end of the next animation frame. */
    async frame() {
      if (current) await settled(current);
      return this.step(Math.max(0, frameAt() - v));
    },
    /** What ran so far, and what may keep time behind our back (see `makeCounts`). */
    stats: () => ({ ...counts, timers: heap.items.length - heap.dead, rafs: pending(), mode: CFG.mode }),
    /** Ends a running step after the callback it is in. */
    halt() {
      halted = true;
    },
  };
};

/** When this frame was born, on the root's scale: its own performance.now() begins at START_MS then. */
T.animationFrames = new Map();
T.currentFrames = new Map();
if (T.root === T) T.clock = makeClock();
const clock = T.root.clock;
T.birth = clock.peek() - START_MS;
