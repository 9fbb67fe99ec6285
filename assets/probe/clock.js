// The game clock: time passes only when `step` says so.
// Comes in: CFG.mode, CFG.epoch, CFG.seed, CFG.skipGl. Goes out: `T.root.clock`.
// One scheduler serves the root and its same-origin frames, so that the order of callbacks is one order.
{
  const VIRTUAL = CFG.mode === 'virtual';
  const FRAME = 1000 / 60;
  const root = T.root;
  if (root === T) {
    const native = T.native;
    const loaded = native.performanceNow();
    const S = {
      now: 1000, epoch: CFG.epoch - 1000, timers: new Map(), frames: [], ids: 1000000, order: 0, nesting: 0, nextFrame: 1000 + FRAME,
      reads: 0, skipping: false, anims: new Map(),
      stats: { workers: 0, audio: 0, audioClockReads: 0, timelineReads: 0, calls: 0, errors: 0 },
    };
    T.schedule = S;
    // A page that waits busily for time to pass would wait for ever: after many readings within one callback the
    // clock creeps on, 5 µs a reading.
    S.read = () => {
      if (++S.reads > 2000) S.now += 0.005;
      return S.now;
    };
    const call = (f, win, args) => {
      S.stats.calls++;
      S.reads = 0;
      try {
        f.apply(win, args);
      } catch (error) {
        S.stats.errors++;
        // Thrown again natively, so that the page's own handlers and the browser see it as uncaught.
        native.setTimeout(() => { throw error; }, 0);
      }
    };
    const earliest = (until) => {
      let best = null;
      for (const t of S.timers.values()) {
        if (t.at <= until && (!best || t.at < best.at || (t.at === best.at && t.order < best.order))) best = t;
      }
      return best;
    };
    const animate = (ms) => {
      for (const f of T.frames()) {
        for (const a of f.doc.getAnimations()) {
          try {
            if (!S.anims.has(a)) {
              S.anims.set(a, true);
              a.pause();
            }
            const end = a.effect ? a.effect.getComputedTiming().endTime : Infinity;
            const at = (Number(a.currentTime) || 0) + ms * (a.playbackRate || 1);
            if (at >= end) { a.finish(); S.anims.delete(a); } else a.currentTime = at;
          } catch {
            S.anims.delete(a);
          }
        }
      }
    };
    // Runs what is due first up to `until`: 'call' a callback, 'frame' a frame, null when nothing is left.
    const one = (until) => {
      const t = earliest(until);
      if (t && t.at <= S.nextFrame) {
        S.now = Math.max(S.now, t.at);
        if (t.every === null) S.timers.delete(t.id);
        else { t.at = S.now + t.every; t.order = ++S.order; t.nesting++; }
        S.nesting = t.nesting;
        if (t.win.closed || !t.win.document.defaultView) S.timers.delete(t.id);
        else call(t.f, t.win, t.args);
        S.nesting = 0;
        return 'call';
      }
      if (S.nextFrame <= until + 1e-6) {
        S.now = Math.max(S.now, S.nextFrame);
        S.nextFrame += FRAME;
        animate(FRAME);
        const due = S.frames;
        S.frames = [];
        S.skipping = CFG.skipGl && S.nextFrame <= until + 1e-6;
        for (const r of due) if (!r.gone && r.win.document.defaultView) call(r.f, r.win, [S.now]);
        S.skipping = false;
        return due.length ? 'frame' : 'empty';
      }
      return null;
    };
    let turn = Promise.resolve();
    const run = async (until) => {
      let calls = 0;
      let frames = 0;
      for (let did = one(until); did; did = one(until)) {
        if (did === 'call') calls++;
        if (did === 'frame') frames++;
        if (did !== 'empty') await native.tick();
      }
      S.now = Math.max(S.now, until);
      S.reads = 0;
      let next = null;
      for (const t of S.timers.values()) next = next === null ? t.at : Math.min(next, t.at);
      return { now: T.clock.now(), calls, frames, nextTimer: next === null ? null : next - S.now, rafs: S.frames.length };
    };
    T.clock = {
      now: () => (VIRTUAL ? S.now - 1000 : native.performanceNow() - loaded),
      // Steps wait for each other: a step that was given up by its caller still ends before the next begins.
      step: (ms) => {
        if (!VIRTUAL) return Promise.resolve({ now: T.clock.now(), calls: 0, frames: 0, nextTimer: null, rafs: 0 });
        const mine = turn.then(() => run(S.now + ms));
        turn = mine.catch(() => {});
        return mine;
      },
      frame: () => T.clock.step(Math.max(0, S.nextFrame - S.now)),
      stats: () => ({ ...S.stats }),
    };
  }
  const S = root.schedule;
  for (const name of ['Worker', 'SharedWorker', 'AudioContext', 'webkitAudioContext']) {
    if (!window[name]) continue;
    const kind = /Audio/.test(name) ? 'audio' : 'workers';
    window[name] = new Proxy(window[name], {
      construct(target, args, self) {
        S.stats[kind]++;
        return Reflect.construct(target, args, self);
      },
    });
  }
  if (typeof CFG.seed === 'number') {
    // sfc32, seeded by CFG.seed (public domain, Chris Doty-Humphrey's PractRand).
    let a = 0x9e3779b9, b = 0x243f6a88, c = 0xb7e15162, d = CFG.seed >>> 0;
    const next = () => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + t) | 0;
      return (t >>> 0) / 4294967296;
    };
    for (let i = 0; i < 15; i++) next();
    T.wrap(Math, 'random', () => function random() { return next(); });
  }
  if (VIRTUAL) {
    const W = window;
    const timer = (f, ms, args, repeat) => {
      if (typeof f !== 'function') {
        const source = String(f);
        f = () => (0, W.eval)(source);
      }
      // HTML: the delay is at least 4 ms from the fifth nesting on.
      const wait = Math.max(repeat || S.nesting >= 5 ? (S.nesting >= 5 ? 4 : 1) : 0, Number(ms) || 0);
      const id = ++S.ids;
      S.timers.set(id, { id, at: S.now + wait, f, args, every: repeat ? Math.max(wait, 1) : null, order: ++S.order, nesting: S.nesting + 1, win: W });
      return id;
    };
    const clear = (native) => function (id) {
      if (!S.timers.delete(Number(id)) && Number(id) < 1000000) native.call(W, id);
    };
    T.wrap(W, 'setTimeout', () => function setTimeout(f, ms, ...args) { return timer(f, ms, args, false); });
    T.wrap(W, 'setInterval', () => function setInterval(f, ms, ...args) { return timer(f, ms, args, true); });
    T.wrap(W, 'clearTimeout', clear);
    T.wrap(W, 'clearInterval', clear);
    T.wrap(W, 'requestAnimationFrame', () => function requestAnimationFrame(f) {
      const id = ++S.ids;
      S.frames.push({ id, f, win: W, gone: false });
      return id;
    });
    T.wrap(W, 'cancelAnimationFrame', () => function cancelAnimationFrame(id) {
      for (const r of S.frames) if (r.id === id) r.gone = true;
    });
    T.wrap(W, 'requestIdleCallback', () => function requestIdleCallback(f) {
      return timer(() => f({ didTimeout: false, timeRemaining: () => 10 }), 1, [], false);
    });
    T.wrap(W, 'cancelIdleCallback', clear);
    T.wrap(Performance.prototype, 'now', () => function now() { return S.read(); });
    const NativeDate = W.Date;
    const read = () => Math.floor(S.epoch + S.read());
    const now = T.dress(function now() { return read(); }, NativeDate.now);
    W.Date = new Proxy(NativeDate, {
      construct: (target, args, self) => Reflect.construct(target, args.length ? args : [read()], self),
      apply: () => new NativeDate(read()).toString(),
      get: (target, key) => (key === 'now' ? now : target[key]),
    });
    NativeDate.prototype.constructor = W.Date;
    Object.defineProperty(Event.prototype, 'timeStamp', { get() { return S.now; }, configurable: true, enumerable: true });
    if (W.AnimationTimeline) {
      Object.defineProperty(AnimationTimeline.prototype, 'currentTime', { get() { S.stats.timelineReads++; return S.now; }, configurable: true, enumerable: true });
    }
    for (const name of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
      for (const draw of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements', 'clear']) {
        T.wrap(W[name] && W[name].prototype, draw, (native) => function () {
          if (S.skipping) return undefined;
          return native.apply(this, arguments);
        });
      }
    }
  }
}
