// tally.js: what a row of calls comes to, as one number: the same calls with the same arguments give the same.
//
// In:  a number for each function, the arguments of its calls.
// Out: `makeTally()`: {add, spoil, take}.
// Must never know: what the calls do.

const tallyIds = new WeakMap();
let tallyNext = 1;
const tallyWide = new Float64Array(1);
const tallyHalves = new Int32Array(tallyWide.buffer);
/** Bytes beyond which an argument is taken for new without a look: reading them would cost what is to be saved. */
const TALLY_MOST = 8_000_000;

// Multiplication by 2^32 / golden ratio spreads neighbours (Knuth's multiplicative hashing).
const tallyMix = (sum, word) => {
  const mixed = Math.imul(sum ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};

const tallyBytes = (sum, buffer, offset, length) => {
  const words = offset % 4 ? 0 : length >> 2;
  if (words) {
    const list = new Int32Array(buffer, offset, words);
    for (let i = 0; i < words; i++) sum = tallyMix(sum, list[i]);
  }
  const rest = new Uint8Array(buffer, offset + words * 4, length - words * 4);
  for (let i = 0; i < rest.length; i++) sum = tallyMix(sum, rest[i]);
  return tallyMix(sum, length);
};

const tallyNumber = (sum, value) => {
  if ((value | 0) === value) return tallyMix(sum, value);
  tallyWide[0] = value;
  return tallyMix(tallyMix(sum, tallyHalves[0]), tallyHalves[1]);
};

const makeTally = () => {
  let sum = 1;
  let fresh = false;
  const value = (v) => {
    switch (typeof v) {
      case "number":
        sum = tallyNumber(sum, v);
        return;
      case "boolean":
        sum = tallyMix(sum, v ? 3 : 5);
        return;
      case "string":
        for (let i = 0; i < v.length; i++) sum = tallyMix(sum, v.charCodeAt(i));
        return;
      case "object":
        break;
      default:
        sum = tallyMix(sum, 7);
        return;
    }
    if (v === null) sum = tallyMix(sum, 11);
    else if (ArrayBuffer.isView(v)) {
      if (v.byteLength > TALLY_MOST) fresh = true;
      else sum = tallyBytes(sum, v.buffer, v.byteOffset, v.byteLength);
    } else if (v instanceof ArrayBuffer) {
      if (v.byteLength > TALLY_MOST) fresh = true;
      else sum = tallyBytes(sum, v, 0, v.byteLength);
    } else if (Array.isArray(v)) for (let i = 0; i < v.length; i++) value(v[i]);
    else {
      // What an object holds cannot be told; the same one stands for the same.
      if (!tallyIds.has(v)) tallyIds.set(v, tallyNext++);
      sum = tallyMix(sum, tallyIds.get(v));
    }
  };
  return {
    add(name, list) {
      sum = tallyMix(sum, name);
      for (let i = 0; i < list.length; i++) value(list[i]);
    },
    /** From here to the next `take` nothing is like anything. */
    spoil() {
      fresh = true;
    },
    /** The number of all calls since the last `take`; NaN, which is like nothing, where that cannot be told. */
    take() {
      const taken = fresh ? NaN : sum;
      sum = 1;
      fresh = false;
      return taken;
    },
  };
};
