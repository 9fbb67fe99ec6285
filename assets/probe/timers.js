// timers.js: the page's timers and animation frames, run by the game clock.
//
// In:  core.js's T, clock.js's `clock`.
// Out: in mode "virtual", setTimeout, setInterval, requestAnimationFrame, requestIdleCallback and
//      scheduler.postTask with a delay, that run only when the clock is stepped; in mode "real", nothing.
// Must never know: what is run.
{
  /** How long an idle period claims to last, and what asking costs: loops `while (deadline.timeRemaining() > 0)` must end. */
  const IDLE_MS = 50;
  const IDLE_READ_MS = 0.1;

  if (clock.virtual) {
    const timers = new Map();
    let lastTimer = 0;

    const requireHandler = (name, given) => {
      if (given === 0)
        throw new TypeError(`Failed to execute '${name}' on 'Window': 1 argument required, but only 0 present.`);
    };

    const start = (handler, delay, args, repeat) => {
      // As natively: a string is a script run in the global scope when due.
      const code = typeof handler === "function" ? null : String(handler);
      const id = ++lastTimer;
      const run = () => {
        if (!repeat) timers.delete(id);
        if (code === null) Reflect.apply(handler, W, args);
        else (0, eval)(code);
      };
      // `| 0` is the conversion to a C long that the standard asks for: NaN and 2 ** 31 are no wait at all.
      timers.set(id, clock.addTimer(T, run, delay | 0, repeat));
      return id;
    };
    // One list of ids for timeouts and intervals: either clear function clears both.
    const clear = (id) => {
      const timer = timers.get(id | 0);
      if (!timer) return;
      timers.delete(id | 0);
      clock.clearTimer(timer);
    };

    replaceMethod(W, "setTimeout", () => ({
      setTimeout(handler, delay, ...args) {
        requireHandler("setTimeout", arguments.length);
        return start(handler, delay, args, false);
      },
    }).setTimeout);
    replaceMethod(W, "setInterval", () => ({
      setInterval(handler, delay, ...args) {
        requireHandler("setInterval", arguments.length);
        return start(handler, delay, args, true);
      },
    }).setInterval);
    replaceMethod(W, "clearTimeout", () => ({
      clearTimeout(id) {
        clear(id);
      },
    }).clearTimeout);
    replaceMethod(W, "clearInterval", () => ({
      clearInterval(id) {
        clear(id);
      },
    }).clearInterval);

    let lastFrame = 0;
    const request = (name) => () => ({
      request(callback) {
        if (typeof callback !== "function")
          throw new TypeError(`Failed to execute '${name}' on 'Window': parameter 1 is not of type 'Function'.`);
        T.animationFrames.set(++lastFrame, callback);
        return lastFrame;
      },
    }).request;
    const cancel = () => ({
      cancel(id) {
        // A frame's later callbacks can be cancelled by its earlier ones.
        if (!T.animationFrames.delete(id | 0)) T.currentFrames.delete(id | 0);
      },
    }).cancel;
    for (const name of ["requestAnimationFrame", "webkitRequestAnimationFrame"]) replaceMethod(W, name, request(name));
    for (const name of ["cancelAnimationFrame", "webkitCancelAnimationFrame", "webkitCancelRequestAnimationFrame"])
      replaceMethod(W, name, cancel);

    const idles = new Map();
    let lastIdle = 0;
    replaceMethod(W, "requestIdleCallback", () => ({
      requestIdleCallback(callback) {
        if (typeof callback !== "function")
          throw new TypeError("Failed to execute 'requestIdleCallback' on 'Window': parameter 1 is not of type 'Function'.");
        const id = ++lastIdle;
        const run = () => {
          idles.delete(id);
          let remaining = IDLE_MS;
          const deadline = Object.create(W.IdleDeadline.prototype, {
            didTimeout: { value: false, enumerable: true },
            timeRemaining: { value: () => (remaining = Math.max(0, remaining - IDLE_READ_MS)), enumerable: true },
          });
          Reflect.apply(callback, W, [deadline]);
        };
        idles.set(id, clock.addTimer(T, run, 1, false));
        return id;
      },
    }).requestIdleCallback);
    replaceMethod(W, "cancelIdleCallback", () => ({
      cancelIdleCallback(id) {
        const timer = idles.get(id | 0);
        idles.delete(id | 0);
        if (timer) clock.clearTimer(timer);
      },
    }).cancelIdleCallback);

    // See `settle`.
    const speaks = (owner, name) =>
      replaceMethod(owner, name, (original) => ({
        speak() {
          T.root.messages = true;
          return Reflect.apply(original, this, arguments);
        },
      }).speak);
    speaks(W, "postMessage");
    for (const type of ["MessagePort", "Worker", "SharedWorker", "BroadcastChannel"])
      speaks(W[type] && W[type].prototype, "postMessage");
    speaks(W.Scheduler && W.Scheduler.prototype, "yield");

    replaceMethod(W.Scheduler && W.Scheduler.prototype, "postTask", (original) => ({
      postTask(callback, options = {}) {
        T.root.messages = true;
        const delay = Number(options && options.delay) || 0;
        if (delay <= 0) return Reflect.apply(original, this, arguments);
        const { signal } = options;
        return new Promise((resolve, reject) => {
          if (signal && signal.aborted) {
            reject(signal.reason);
            return;
          }
          const post = () => resolve(Reflect.apply(original, this, [callback, { ...options, delay: 0 }]));
          const timer = clock.addTimer(T, post, delay, false);
          if (signal)
            T.native.addEventListener.call(signal, "abort", () => {
              clock.clearTimer(timer);
              reject(signal.reason);
            });
        });
      },
    }).postTask);
  }
}
