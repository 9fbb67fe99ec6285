// dates.js: every way in which a page reads the time, answered by the game clock.
//
// In:  core.js's T, clock.js's `clock`, CFG.epoch, CFG.seed.
// Out: in mode "virtual", Date, performance, event.timeStamp, timelines, audio contexts, Intl and Temporal that tell game
//      time; in every mode, Math.random seeded when CFG.seed is a number (`T.deal`), and counts of workers and audio
//      contexts.
// Must never know: who reads, and why.
{
  // Workers keep their own time and nothing here reaches into them: the count says that they may.
  const counted = (name, key) =>
    replaceClass(name, (original) => ({
      construct(target, args, newTarget) {
        clock.counts[key]++;
        return Reflect.construct(target, args, newTarget === W[name] ? original : newTarget);
      },
    }));
  counted("Worker", "workers");
  counted("SharedWorker", "workers");
  counted("AudioContext", "audio");
  // The prefixed name is the same class and must stay so.
  if (W.webkitAudioContext) W.webkitAudioContext = W.AudioContext;

  if (typeof CFG.seed === "number") {
    // sfc32 (Chris Doty-Humphrey, PractRand). Each frame of a family draws its own sequence.
    let a, b, c, counter;
    const next = () => {
      const sum = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = ((c << 21) | (c >>> 11)) + sum | 0;
      return sum >>> 0;
    };
    /** Another opening of the page, other numbers: `opening` is 0 for the first. For before the page's own scripts. */
    T.deal = (opening) => {
      a = 0x9e3779b9 ^ Math.imul(opening, 0x9e3779b1);
      b = CFG.seed | 0;
      c = (Math.floor(CFG.seed / 2 ** 32) ^ Math.imul(T.root.members.length, 0x85ebca6b)) | 0;
      counter = 1;
      for (let i = 0; i < 15; i++) next(); // near seeds must part before the first number is seen
    };
    T.deal(0);
    replaceMethod(Math, "random", () => ({
      random() {
        // 53 bits, as natively: pages that multiply by large numbers or print it see no odd grain.
        return ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
      },
    }).random);
  }

  if (clock.virtual) {
    /** This frame's performance.now(). */
    const sinceBirth = () => clock.read() - T.birth;
    const wallMs = () => Math.floor(CFG.epoch + clock.read() - START_MS);
    const originMs = CFG.epoch + T.birth - START_MS;

    const NativeDate = T.native.Date;
    replaceMethod(NativeDate, "now", () => ({
      now() {
        return wallMs();
      },
    }).now);
    replaceClass("Date", () => ({
      construct(target, args, newTarget) {
        return Reflect.construct(target, args.length ? args : [wallMs()], newTarget === W.Date ? target : newTarget);
      },
      apply: () => new NativeDate(wallMs()).toString(),
    }));

    replaceMethod(W.Performance.prototype, "now", () => ({
      now() {
        return sinceBirth();
      },
    }).now);
    replaceGetter(W.Performance.prototype, "timeOrigin", () => ({
      get() {
        return originMs;
      },
    }).get);
    // The old way to measure: Date.now() - performance.timing.navigationStart.
    const timing = W.PerformanceTiming && W.PerformanceTiming.prototype;
    for (const name of timing ? Object.getOwnPropertyNames(timing) : [])
      replaceGetter(timing, name, (original) => ({
        get() {
          return Reflect.apply(original, this, []) === 0 ? 0 : Math.floor(originMs);
        },
      }).get);

    // The time at which an event is first looked at: its handlers run while game time stands still.
    const stamps = new WeakMap();
    replaceGetter(W.Event.prototype, "timeStamp", () => ({
      get() {
        let stamp = stamps.get(this);
        if (stamp === undefined) stamps.set(this, (stamp = clock.peek() - T.birth));
        return stamp;
      },
    }).get);

    replaceGetter(W.AnimationTimeline && W.AnimationTimeline.prototype, "currentTime", (original) => ({
      get() {
        if (!(this instanceof W.DocumentTimeline)) return Reflect.apply(original, this, []);
        clock.counts.timelineReads++;
        return clock.peek() - T.birth;
      },
    }).get);

    // A running audio context goes on in game time from where it was.
    const anchors = new WeakMap();
    const audioTime = (context, native, now) => {
      const anchor = anchors.get(context);
      const running = context.state === "running";
      const time = anchor ? anchor.time + (anchor.running ? (now - anchor.at) / 1000 : 0) : native;
      anchors.set(context, { time, at: now, running });
      return time;
    };
    const audio = W.BaseAudioContext && W.BaseAudioContext.prototype;
    const nativeAudioTime = audio && Object.getOwnPropertyDescriptor(audio, "currentTime").get;
    replaceGetter(audio, "currentTime", () => ({
      get() {
        const native = Reflect.apply(nativeAudioTime, this, []);
        clock.counts.audioClockReads++;
        return this instanceof W.AudioContext ? audioTime(this, native, clock.read()) : native;
      },
    }).get);
    // Sounds are put where they belong in the machine's time: set for a game time hours ahead they would pile up.
    for (const type of [W.AudioScheduledSourceNode, W.AudioBufferSourceNode])
      for (const name of ["start", "stop"])
        replaceMethod(type && type.prototype, name, (original) => ({
          schedule(when, ...rest) {
            const { context } = this;
            if (!(when > 0) || !(context instanceof W.AudioContext)) return Reflect.apply(original, this, arguments);
            const native = Reflect.apply(nativeAudioTime, context, []);
            const wait = Math.max(0, when - audioTime(context, native, clock.peek()));
            return Reflect.apply(original, this, [native + wait, ...rest]);
          },
        }).schedule);

    // Formatters without an argument mean now.
    const formats = W.Intl.DateTimeFormat.prototype;
    replaceGetter(formats, "format", (original) => ({
      get() {
        const format = Reflect.apply(original, this, []);
        return (date) => format(date === undefined ? wallMs() : date);
      },
    }).get);
    replaceMethod(formats, "formatToParts", (original) => ({
      formatToParts(date) {
        return Reflect.apply(original, this, [date === undefined ? wallMs() : date]);
      },
    }).formatToParts);

    if (W.Temporal) {
      const { Instant, Now } = W.Temporal;
      const zoned = (zone) => Instant.fromEpochMilliseconds(wallMs()).toZonedDateTimeISO(zone ?? Now.timeZoneId());
      const answers = {
        instant: () => Instant.fromEpochMilliseconds(wallMs()),
        zonedDateTimeISO: zoned,
        plainDateTimeISO: (zone) => zoned(zone).toPlainDateTime(),
        plainDateISO: (zone) => zoned(zone).toPlainDate(),
        plainTimeISO: (zone) => zoned(zone).toPlainTime(),
      };
      for (const [name, answer] of Object.entries(answers)) replaceMethod(Now, name, () => answer);
    }
  }
}
