// How the page comes up and keeps up with real time, by the machine's clock.
// Comes in: the untouched window, before dates.js tells it another time. Goes out: T.loading, T.pace.
// Must never know: what the page shows.
{
  /** A task that keeps the page from answering for so long is felt. */
  const LONG_MS = 50;
  const tasks = { at: [], ms: [] };
  const entriesOf = W.performance.getEntriesByType.bind(W.performance);
  let observer = null;
  const keep = (entries) => {
    for (let i = 0; i < entries.length && tasks.at.length < 1000; i++) {
      tasks.at[tasks.at.length] = entries[i].startTime;
      tasks.ms[tasks.ms.length] = entries[i].duration;
    }
  };
  try {
    observer = new W.PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type: "longtask", buffered: true });
  } catch {
    // A browser that does not tell of long tasks.
  }
  const longBetween = (from, to) => {
    if (observer) keep(observer.takeRecords());
    let n = 0;
    let longest = 0;
    for (let i = 0; i < tasks.at.length; i++) {
      if (tasks.at[i] < from || tasks.at[i] >= to) continue;
      n++;
      longest = Math.max(longest, tasks.ms[i]);
    }
    return { longTasks: n, longestTaskMs: longest };
  };

  const frame = () =>
    new Promise((resolve) => {
      // A page that is not drawn has no frames.
      const late = T.native.setTimeout(() => resolve(false), 500);
      T.native.requestAnimationFrame(() => {
        T.native.clearTimeout(late);
        resolve(true);
      });
    });

  const firstPaint = () => {
    const paints = entriesOf("paint");
    for (let i = 0; i < paints.length; i++) if (paints[i].name === "first-contentful-paint") return paints[i].startTime;
    return null;
  };
  // T.loading() -> {firstPaintMs, longTasks, longestTaskMs}: until the load event.
  T.loading = async () => {
    const navigation = entriesOf("navigation")[0];
    const until = (navigation && navigation.loadEventEnd) || T.native.now();
    // What is there at the load event is drawn, and said to be, some frames later.
    for (let i = 0; i < 4 && firstPaint() === null; i++) await frame();
    return { firstPaintMs: firstPaint(), ...longBetween(0, until) };
  };

  // T.pace(ms) -> {elapsedMs, frames, longestFrameMs, longTasks, longestTaskMs}: lets the page live as long by the
  // wall's clock as it would by itself, a step of the game clock at each of the browser's frames.
  T.pace = async (ms) => {
    const { clock } = T.root;
    await frame();
    const begun = T.native.now();
    let last = begun;
    let frames = 0;
    let longestFrameMs = 0;
    let long = 0;
    let longest = 0;
    while (last - begun < ms) {
      if (await frame()) frames++;
      const now = T.native.now();
      const passed = now - last;
      longestFrameMs = Math.max(longestFrameMs, passed);
      last = now;
      if (!clock.virtual) continue;
      // One for one, as a browser does: frames that a slow page missed are not made up for.
      await clock.frame();
      const busy = T.native.now() - now;
      if (busy > LONG_MS) long++;
      longest = Math.max(longest, busy);
    }
    const ended = T.native.now();
    // The task this runs in may be a long one: it is told of when it is over.
    await tick();
    await tick();
    const took = clock.virtual ? { longTasks: long, longestTaskMs: longest } : longBetween(begun, ended);
    return { elapsedMs: ended - begun, frames, longestFrameMs, ...took };
  };
}
