// motion.js: CSS transitions, CSS animations, element.animate() and SVG's own animations, driven by the game clock.
//
// In:  core.js's T, clock.js's `clock` and its frame hook.
// Out: in mode "virtual", animations that move only when the clock is stepped and end as natively (events, promises);
//      `foresee`, for who reads the page.
// Must never know: what moves.
//
// An animation is taken over by setting its playback rate to 0 and moving its current time by hand: unlike a pause,
// that leaves `playState`, `animation-play-state` and pausing by the page as they were. What the page reads and sets as
// its rate is kept here. What starts by style is found by its start events, at most a frame of real time late, and by
// asking the document; asking makes the browser bring all styles up to date, so an unmoving page is asked less often.
{
  /** Frames between two looks for new animations inside a step, while none has been seen for a while. */
  const CALM_FRAMES = 6;
  /** The browser counts animation time in whole microseconds: what has less than one left has ended. */
  const EPSILON_MS = 1e-3;
  /** Transitions that take no longer, game ms, are there already for who reads the page: see `foresee`. */
  const SHORT_MS = 400;
  /** So near to its end a transition shows what it will show there, and has not ended yet, game ms. */
  const HAIR_MS = 0.01;
  /** How long a page counts as moving after the last animation, game ms. */
  const STIRRED_MS = 500;
  /** Endless animations decorate, and each move of one costs a repaint: they are moved so seldom, game ms. */
  const ENDLESS_MS = 250;
  /** The longest wait for the browser to deliver the events of an animation's end, real ms: a hidden page draws no frames. */
  const DELIVERY_MS = 100;

  const AnimationClass = W.Animation;
  const prototype = AnimationClass && AnimationClass.prototype;
  const accessor = (name) => (prototype && Object.getOwnPropertyDescriptor(prototype, name)) || {};
  const native = {
    rate: accessor("playbackRate"),
    time: accessor("currentTime"),
    state: accessor("playState").get,
    effect: accessor("effect").get,
    timeline: accessor("timeline").get,
    finish: prototype && prototype.finish,
    elementAnimations: W.Element.prototype.getAnimations,
    observe: W.MutationObserver.prototype.observe,
    disconnect: W.MutationObserver.prototype.disconnect,
  };

  /** What the page believes an animation's rate to be, for those taken over. */
  const rates = new WeakMap();
  /** Those taken over, each with the game ms it is behind and the ms it had left to its end when last looked at. */
  const driven = new Map();
  let stirredUntil = -Infinity;
  let sinceLook = 0;

  const stir = () => (stirredUntil = clock.peek() + STIRRED_MS);

  /** Takes an animation over; `fresh` ones begin now, whatever real time they may have seen. */
  const adopt = (animation, fresh) => {
    if (driven.has(animation)) return;
    // Scroll-driven animations keep no time.
    const timeline = Reflect.apply(native.timeline, animation, []);
    if (!(timeline instanceof W.DocumentTimeline)) return;
    const state = Reflect.apply(native.state, animation, []);
    if (state === "idle" || state === "finished") return;
    const known = rates.has(animation);
    rates.set(animation, Reflect.apply(native.rate.get, animation, []) || rates.get(animation) || 0);
    Reflect.apply(native.rate.set, animation, [0]);
    const byStyle = animation instanceof W.CSSTransition || animation instanceof W.CSSAnimation;
    if (fresh && byStyle && !known && state === "running") Reflect.apply(native.time.set, animation, [0]);
    driven.set(animation, { ms: 0, left: 0 });
    if (!known) clock.counts.animations++;
    stir();
  };

  /** Gives an animation back to the browser with the rate the page believes in. */
  const release = (animation) => {
    driven.delete(animation);
    const rate = rates.get(animation);
    if (rate !== undefined) Reflect.apply(native.rate.set, animation, [rate]);
  };

  /** Where an animation would be after `ms` more: null when it does not run, else its time and whether that is its end. */
  const ahead = (animation, ms) => {
    const state = Reflect.apply(native.state, animation, []);
    if (state === "idle" || state === "finished") release(animation);
    if (state !== "running") return null;
    const effect = Reflect.apply(native.effect, animation, []);
    const end = effect ? Number(effect.getComputedTiming().endTime) : 0;
    const rate = rates.get(animation);
    const time = (Number(Reflect.apply(native.time.get, animation, [])) || 0) + ms * rate;
    const left = rate > 0 ? (end - time) / rate : rate < 0 ? time / -rate : Infinity;
    return { animation, time, left };
  };

  const look = () => {
    for (const animation of T.animationsOf(W.document)) adopt(animation, true);
    for (const shadow of T.shadowRoots) for (const animation of T.animationsOf(shadow)) adopt(animation, true);
  };

  /** Moves short transitions to their ends for a moment, and gives the way back, null where there are none: a cell that
   *  fades, or a piece that glides to its place, is decided though it is still on its way, and a reading of something
   *  between two states is none. */
  const foresee = () => {
    look();
    const moved = [];
    for (const animation of driven.keys()) {
      if (!(animation instanceof W.CSSTransition) || !(rates.get(animation) > 0)) continue;
      if (Reflect.apply(native.state, animation, []) !== "running") continue;
      const effect = Reflect.apply(native.effect, animation, []);
      const end = effect ? Number(effect.getComputedTiming().endTime) : 0;
      if (!(end > HAIR_MS && end <= SHORT_MS)) continue;
      moved.push({ animation, end, time: Reflect.apply(native.time.get, animation, []) });
    }
    if (!moved.length) return null;
    const move = (to) => {
      for (const one of moved) {
        try {
          Reflect.apply(native.time.set, one.animation, [to(one)]);
        } catch {
          release(one.animation); // an effect the browser will not have moved by hand
        }
      }
    };
    move(({ end }) => end - HAIR_MS);
    return () => move(({ time }) => time);
  };

  // SVG's own animations have one clock an outermost <svg>.
  const vectors = W.document.getElementsByTagName("svg");
  const moveVectors = () => {
    for (const svg of vectors)
      if (svg.ownerSVGElement === null && typeof svg.setCurrentTime === "function") {
        if (!svg.animationsPaused()) svg.pauseAnimations();
        svg.setCurrentTime((clock.peek() - T.birth - START_MS) / 1000);
      }
  };

  const awaitsEnds = () =>
    ["transitionend", "animationend", "webkitTransitionEnd", "webkitAnimationEnd", "webkittransitionend",
      "webkitanimationend", "finish"].some((type) => T.listened.has(type));
  /** Ends by name that nothing came of so often are of no account to the page: only a framework's root hears of them. */
  const VAIN = 12;
  /** Each so manieth of those is waited for all the same: it may have come to matter. */
  const ASK_AGAIN = 16;
  /** How often nothing came of the end of an animation of that name. */
  const vain = new Map();
  const nameOf = (animation) =>
    animation instanceof W.CSSTransition ? animation.transitionProperty
    : animation instanceof W.CSSAnimation ? animation.animationName
    : "";
  /** Is an end of that name waited for? */
  const matters = (name) => {
    const times = vain.get(name) || 0;
    if (times >= VAIN) vain.set(name, times + 1);
    return times < VAIN || times % ASK_AGAIN === 0;
  };
  const delivery = () =>
    new Promise((resolve) => {
      clock.counts.ends++;
      T.native.requestAnimationFrame(() => resolve());
      T.native.setTimeout(resolve, DELIVERY_MS);
    });

  /** Waits until the browser has told of ends, and sees whether anything comes of it. */
  const heard = async (names) => {
    const { timers, rafs } = clock.stats();
    let came = false;
    const observer = new T.native.MutationObserver(() => (came = true));
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    Reflect.apply(native.observe, observer, [W.document, everything]);
    await delivery();
    // A framework acts on what it heard in the next task.
    await tick();
    await tick();
    const now = clock.stats();
    came ||= now.timers !== timers || now.rafs !== rafs;
    Reflect.apply(native.disconnect, observer, []);
    for (const name of names) vain.set(name, came ? 0 : (vain.get(name) || 0) + 1);
  };

  /** Moves all animations on by `ms`; in bulk those that do not end are left behind until the last frame. The names of
   *  those that ended. */
  const moveAll = (ms, last, bulk) => {
    // First read all, then write all: a read after a write makes the browser bring styles up to date each time.
    const moves = [];
    for (const [animation, lag] of driven) {
      lag.ms += ms;
      if (bulk && !last && lag.ms < lag.left) continue;
      if (lag.left === Infinity && lag.ms < ENDLESS_MS) continue;
      const next = ahead(animation, lag.ms);
      if (next) {
        moves.push(next);
        lag.left = next.left;
      }
      lag.ms = 0;
    }
    const ended = new Set();
    for (const { animation, time, left } of moves) {
      try {
        if (left <= EPSILON_MS) {
          release(animation);
          Reflect.apply(native.finish, animation, []);
          ended.add(nameOf(animation));
        } else if (left < Infinity || rates.get(animation) !== 0) Reflect.apply(native.time.set, animation, [time]);
      } catch {
        release(animation); // an effect the browser will not have moved by hand
      }
    }
    return ended;
  };

  /** One animation frame of `ms` of game time. */
  const frame = async (ms, last, bulk) => {
    if (last || clock.peek() < stirredUntil || ++sinceLook >= CALM_FRAMES) {
      sinceLook = 0;
      look();
    }
    if (vectors.length && (last || !bulk)) moveVectors();
    if (driven.size === 0) return;
    stir();
    const ended = moveAll(ms, last, bulk);
    if (!ended.size) return;
    // The browser tells of ends when it next draws, in its own time. Whoever waits for them must hear of them now.
    if (!awaitsEnds()) return tick();
    if (T.hearsEnds()) return delivery();
    await ([...ended].some(matters) ? heard(ended) : tick());
  };

  /** Calls a native that wants to see the rate the page believes in, and takes the animation over again. */
  const withRate = (original) => ({
    method() {
      if (driven.has(this)) release(this);
      try {
        return Reflect.apply(original, this, arguments);
      } finally {
        adopt(this, false);
      }
    },
  }).method;

  if (clock.virtual && prototype && W.Document.prototype.getAnimations) {
    replaceGetter(prototype, "playbackRate", (original) => ({
      get() {
        return driven.has(this) ? rates.get(this) : Reflect.apply(original, this, []);
      },
    }).get);
    replaceSetter(prototype, "playbackRate", (original) => ({
      set(rate) {
        if (driven.has(this) && Number.isFinite(Number(rate))) rates.set(this, Number(rate));
        else Reflect.apply(original, this, [rate]);
      },
    }).set);
    for (const name of ["play", "finish"]) replaceMethod(prototype, name, withRate);
    // Natively a new rate waits until the animation is ready, in the browser's time. Set at once it is known at once.
    replaceMethod(prototype, "updatePlaybackRate", () => ({
      updatePlaybackRate(rate) {
        this.playbackRate = rate;
      },
    }).updatePlaybackRate);
    replaceMethod(prototype, "reverse", () => ({
      reverse() {
        this.playbackRate = -this.playbackRate;
        this.play();
      },
    }).reverse);
    replaceMethod(W.Element.prototype, "animate", (original) => ({
      animate() {
        const animation = Reflect.apply(original, this, arguments);
        adopt(animation, true);
        return animation;
      },
    }).animate);
    const started = (event) => {
      const target = event.target;
      if (!(target instanceof W.Element)) return;
      for (const animation of Reflect.apply(native.elementAnimations, target, [{ subtree: true }])) adopt(animation, true);
    };
    for (const type of ["transitionrun", "animationstart"])
      T.native.addEventListener.call(W, type, started, { capture: true, passive: true });
    // While the page loads nothing is stepped yet, and what the document itself starts must not run off.
    const hold = () => {
      look();
      moveVectors();
    };
    T.native.addEventListener.call(W, "DOMContentLoaded", hold, { capture: true, once: true });
    T.native.addEventListener.call(W, "load", hold, { capture: true, once: true });
    T.motion = { frame, foresee };
    if (T.root === T)
      clock.hooks.frame.push(async (ms, last, bulk) => {
        for (const { T: member } of T.frames()) if (member.motion) await member.motion.frame(ms, last, bulk);
      });
  }
}
