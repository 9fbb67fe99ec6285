// The rules of the test games: one engine whose every habit is a parameter of the page's URL, and every defect a
// switch. It knows nothing of pictures, keys or menus. Parameters: see README.md.
'use strict';

const PARAMS = new URLSearchParams(location.search);
const param = (name, otherwise) => PARAMS.get(name) ?? otherwise;
const number = (name, otherwise) => (PARAMS.has(name) ? Number(PARAMS.get(name)) : otherwise);
const DEFECTS = new Set(param('defect', '').split(',').filter(Boolean));
const defect = name => DEFECTS.has(name);

// A seed in the URL makes the bag repeatable; without one Math.random is asked at each draw.
const random = PARAMS.has('seed') ? mulberry32(number('seed', 1)) : () => Math.random();
function mulberry32(a) {
  return () => {
    a = (a + 0x6D2B79F5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Each kind's spawn state in its rotation box: [size, [column, row]...].
const BOXES = {
  I: [4, [[0, 1], [1, 1], [2, 1], [3, 1]]], O: [2, [[0, 0], [1, 0], [0, 1], [1, 1]]],
  T: [3, [[1, 0], [0, 1], [1, 1], [2, 1]]], S: [3, [[1, 0], [2, 0], [0, 1], [1, 1]]],
  Z: [3, [[0, 0], [1, 0], [1, 1], [2, 1]]], J: [3, [[0, 0], [0, 1], [1, 1], [2, 1]]],
  L: [3, [[2, 0], [0, 1], [1, 1], [2, 1]]],
};
const KINDS = Object.keys(BOXES);

// Super Rotation System kicks as [right, down] for a clockwise turn out of each state; a turn back is the negative.
const KICKS = [[[-1, 0], [-1, -1], [0, 2], [-1, 2]], [[1, 0], [1, 1], [0, -2], [1, -2]],
  [[1, 0], [1, -1], [0, 2], [1, 2]], [[-1, 0], [-1, 1], [0, -2], [-1, -2]]];
const KICKS_I = [[[-2, 0], [1, 0], [-2, 1], [1, -2]], [[-1, 0], [2, 0], [-1, -2], [2, 1]],
  [[2, 0], [-1, 0], [2, -1], [-1, 2]], [[1, 0], [-2, 0], [1, 2], [-2, -1]]];

function createGame(options = {}) {
  const cols = options.cols ?? number('cols', 10), rows = options.rows ?? number('rows', 20);
  const HIDDEN = 4;
  const rotation = param('rotation', 'srs'), scoring = param('scoring', 'guideline');
  const lockDelay = number('lock', 500), clearDelay = number('flash', 0), perLevel = number('perlevel', 10);
  const previews = number('preview', 1), spawnRow = number('spawnrow', 0), startLevel = number('level', 1);
  const kinds = defect('five_kinds') ? KINDS.slice(0, 5) : KINDS;

  const g = {
    cols, rows, state: 'menu', games: 0, piece: null, stack: [], queue: [], held: null, clearing: [],
    score: 0, lines: 0, level: startLevel, pieces: 0, shown: [], happened: [],
  };
  let bag, fallFor, groundedFor, resets, clearFor, mayHold, overlaps, speed = 1;

  const row = () => Array(cols).fill(null);
  function draw() {
    if (param('bag', '7bag') === 'uniform') return kinds[Math.floor(random() * kinds.length)];
    if (bag.length === 0) {
      bag = [...kinds];
      for (let i = bag.length - 1; i > 0; i -= 1) {
        const j = Math.floor(random() * (i + 1));
        [bag[i], bag[j]] = [bag[j], bag[i]];
      }
    }
    return bag.pop();
  }

  g.start = () => {
    const again = g.games > 0;
    const keep = again && defect('dirty_board') ? Math.floor(rows / 3) : 0;
    const rest = keep > 0 ? g.stack.slice(-keep) : [];
    g.stack = [...Array.from({ length: rows + HIDDEN - keep }, row), ...rest];
    if (!(again && defect('dirty_score'))) g.score = 0;
    if (!(again && defect('dirty_level'))) { g.lines = 0; g.level = startLevel; }
    if (again && defect('speed_doubles_after_restart')) speed *= 2;
    bag = []; g.queue = []; g.held = null; g.piece = null; g.clearing = []; g.pieces = 0;
    fallFor = groundedFor = resets = clearFor = overlaps = 0; mayHold = true;
    while (g.queue.length <= previews) enqueue();
    g.games += 1;
    g.state = 'playing';
    next();
  };
  function enqueue() {
    g.queue.push(draw());
    // What the preview shows: the truth, or under this defect any kind at all.
    g.shown = defect('preview_lies') ? g.queue.map(() => KINDS[Math.floor(random() * 7)]) : g.queue;
  }

  const at = (box, x, y) => box.map(([c, r]) => [x + c, y + r]);
  const cellsOf = (p, dx = 0, dy = 0) => at(p.box, p.x + dx, p.y + dy);
  const inside = ([c]) => c >= 0 && c < cols;
  // What is there to see of a piece: all four cells, unless a defect pushed some through a wall.
  g.cells = (p = g.piece) => (p === null ? [] : cellsOf(p).filter(inside));
  const taken = ([c, r]) => inside([c]) && r >= -HIDDEN && g.stack[r + HIDDEN][c] !== null;
  const leaky = defect('wall_loses_cells') || defect('rotation_through_wall');
  function free(cells, { walls = true, stack = true } = {}) {
    if (g.state === 'over') stack = false;
    return cells.every(cell => (!walls || inside(cell)) && cell[1] < rows && cell[1] >= -HIDDEN && !(stack && taken(cell)))
      && cells.some(inside);
  }
  const below = () => free(cellsOf(g.piece, 0, 1), { walls: !leaky });

  function spawn(kind) {
    let [size, box] = BOXES[kind];
    // In the 4x4 system every piece turns about the middle of the same large box.
    if (rotation === 'matrix4') { box = box.map(([c, r]) => [c + (size === 2 ? 1 : 0), r + (size === 4 ? 0 : 1)]); size = 4; }
    const top = Math.min(...box.map(([, r]) => r));
    g.piece = { kind, size, box, turn: 0, x: Math.floor((cols - size) / 2), y: spawnRow - top };
    g.pieces += 1;
    fallFor = groundedFor = resets = 0;
    if (defect('freeze') && g.pieces > number('after', 12)) g.state = 'frozen';
    if (defect('busy_loop') && g.pieces > number('after', 12)) for (;;);
    if (defect('game_over_early') && g.stack.slice(0, HIDDEN + Math.ceil(rows / 2)).some(r => r.some(Boolean))) { over(); return; }
    if (free(cellsOf(g.piece))) return;
    overlaps += 1;
    if (defect('no_game_over') || (defect('spawn_over_stack') && overlaps <= 4)) return;
    over();
  }
  function next() { enqueue(); mayHold = true; spawn(g.queue.shift()); }
  function over() {
    g.state = 'over';
    if (!defect('keys_after_over')) g.piece = null;
    if (defect('over_is_error')) throw new TypeError('the top was reached and nobody thought of it');
  }

  const touched = () => { if (resets < 15) { resets += 1; groundedFor = 0; } };
  const may = () => g.piece !== null
    && (g.state === 'playing' || (g.state === 'paused' && defect('keys_while_paused')) || (g.state === 'over' && defect('keys_after_over')));

  function shift(dx) {
    if (!free(cellsOf(g.piece, dx, 0), { walls: !leaky || defect('rotation_through_wall') && !defect('wall_loses_cells') })) return;
    g.piece.x += dx;
    touched();
  }
  function rotate(by) {
    const p = g.piece;
    if (defect('rotation_missing')) return;
    if (p.kind === 'O' && rotation !== 'matrix4') return;
    let steps = (by + 4) % 4;
    // Systems with two states for I, S and Z, and the defect that has two for all, go there and back.
    const two = defect('rotation_two_of_four') || (rotation === 'nes' && 'ISZ'.includes(p.kind));
    if (two) steps = p.turn === 0 ? 1 : 3;
    let box = p.box;
    for (let i = 0; i < steps; i += 1) box = box.map(([c, r]) => [p.size - 1 - r, c]);
    if (defect('rotation_mirrored')) box = p.box.map(([c, r]) => [r, c]);
    const turn = (p.turn + steps) % 4;
    let kicks = [];
    if (rotation === 'srs') {
      const table = p.kind === 'I' ? KICKS_I : KICKS;
      kicks = steps === 1 ? table[p.turn] : table[turn].map(([x, y]) => [-x, -y]);
    }
    for (const [dx, dy] of [[0, 0], ...kicks]) {
      const cells = at(box, p.x + dx, p.y + dy);
      if (!free(cells, { walls: !defect('rotation_through_wall'), stack: !defect('rotation_into_stack') })) continue;
      Object.assign(p, { box, turn, x: p.x + dx, y: p.y + dy });
      touched();
      return;
    }
  }
  g.drop = () => {
    let dy = 0;
    while (free(cellsOf(g.piece, 0, dy + 1), { walls: !leaky })) dy += 1;
    return dy;
  };

  const ACTIONS = {
    left: () => { if (!defect('left_dead')) for (let i = 0; i < (defect('double_step') ? 2 : 1); i += 1) shift(-1); },
    right: () => { if (!defect('right_dead')) for (let i = 0; i < (defect('double_step') ? 2 : 1); i += 1) shift(1); },
    soft: () => { if (defect('down_is_hard_drop')) ACTIONS.hard(); else if (below()) { g.piece.y += 1; fallFor = 0; dropScore(1); } },
    hard: () => {
      const rowsDown = Math.max(0, g.drop() - (defect('hard_drop_short') ? 3 : 0));
      g.piece.y += rowsDown;
      dropScore(2 * rowsDown);
      if (g.state === 'playing') lock();
    },
    cw: () => rotate(1),
    ccw: () => rotate(-1),
    hold: () => {
      if (!mayHold) return;
      const back = g.held;
      g.held = g.piece.kind;
      if (back === null) next(); else spawn(back);
      mayHold = false;
    },
  };
  g.act = action => { if (may() && ACTIONS[action]) ACTIONS[action](); };
  g.canFall = () => g.piece !== null && below();
  g.softHeld = false;

  function dropScore(points) { if (scoring === 'guideline' && !defect('score_never')) g.score += points; }
  function clearScore(count) {
    if (defect('score_never')) return 0;
    if (defect('score_drops_only')) return 0;
    if (defect('score_flat')) return 100;
    if (scoring === 'nes') return [0, 40, 100, 300, 1200][count] * (g.level + 1);
    if (scoring === 'lines') return 10 * count;
    return [0, 100, 300, 500, 800][count] * g.level;
  }

  function lock() {
    const cells = g.cells();
    for (const [c, r] of cells) if (r >= -HIDDEN) g.stack[r + HIDDEN][c] = g.piece.kind;
    if (defect('score_drops_only')) g.score += 10;
    g.piece = null;
    g.happened.push({ columns: [...new Set(cells.map(([c]) => c))] });
    if (cells.every(([, r]) => r < 0) && !defect('no_game_over')) { over(); return; }
    let full = g.stack.flatMap((line, i) => (line.every(Boolean) ? [i] : []));
    if (defect('no_clear')) full = [];
    if (defect('clear_one')) full = full.slice(-1);
    // The bug of removing while walking: the row after a removed one is never looked at.
    if (defect('clear_skips_middle')) full = full.filter(r => { let n = 0; while (full.includes(r - n - 1)) n += 1; return n % 2 === 0; });
    if (full.length === 0) { next(); return; }
    g.clearing = full;
    g.happened.push({ rows: full.map(i => i - HIDDEN) });
    clearFor = 0;
    if (clearDelay === 0) collapse();
  }
  function collapse() {
    const count = g.clearing.length;
    if (defect('rows_do_not_fall')) for (const i of g.clearing) g.stack[i] = row();
    // Taken out from below by numbers that are stale once what is above has come down.
    else if (defect('clear_slips')) for (const i of g.clearing.reverse()) { g.stack.splice(i, 1); g.stack.unshift(row()); }
    else g.stack = [...g.clearing.map(row), ...g.stack.filter((_, i) => !g.clearing.includes(i))];
    g.clearing = [];
    g.score += clearScore(Math.min(count, 4));
    g.lines += count;
    if (!defect('level_never')) g.level = startLevel + Math.floor(g.lines / perLevel);
    next();
    if (defect('throw_on_clear')) throw new TypeError('cannot read the colour of a row that is gone');
  }

  const gravities = {
    guideline: n => 1000 * Math.max(0.8 - (n - 1) * 0.007, 0.1) ** (n - 1),
    classic: n => Math.max(80, 800 - (n - 1) * 75),
    slow: n => Math.max(300, 1500 - (n - 1) * 100),
  };
  g.gravity = () => {
    const n = defect('speed_never') ? 1 : startLevel + Math.floor(g.lines / perLevel);
    if (defect('speed_collapses') && g.lines >= 4) return 12;
    return gravities[param('gravity', 'guideline')](n) / speed;
  };
  // How far the piece has come towards its next row, for pictures that fall smoothly.
  g.fraction = () => (g.state === 'playing' && g.canFall() ? Math.min(1, fallFor / g.gravity()) : 0);
  g.clearProgress = () => (clearDelay > 0 ? clearFor / clearDelay : 1);

  g.advance = dt => {
    if (g.state !== 'playing') return;
    if (g.clearing.length > 0) { clearFor += dt; if (clearFor >= clearDelay) collapse(); return; }
    if (g.piece === null) return;
    const alone = defect('no_gravity') ? Infinity : g.gravity();
    const interval = g.softHeld ? Math.min(50, alone) : alone;
    fallFor += dt;
    while (fallFor >= interval && g.piece !== null) {
      fallFor -= interval;
      if (below()) { g.piece.y += 1; groundedFor = 0; if (g.softHeld) dropScore(1); }
      // With no lock delay the tick that finds the ground is the one that locks.
      else if (lockDelay === 0) { lock(); return; }
      else { fallFor = 0; break; }
    }
    if (g.state === 'playing' && g.piece !== null && lockDelay > 0 && !below()) {
      groundedFor += dt;
      if (groundedFor >= lockDelay) lock();
    }
  };
  g.pause = () => {
    if (g.state === 'playing') g.state = 'paused';
    else if (g.state === 'paused') g.state = 'playing';
  };

  g.truth = () => {
    const ghost = g.piece === null || g.state !== 'playing' ? null : at(g.piece.box, g.piece.x, g.piece.y + g.drop());
    return {
      columns: cols, rows, stack: g.stack.slice(HIDDEN).map(line => line.map(kind => (kind === null ? 0 : 1))),
      active: g.piece === null ? null : { kind: g.piece.kind, cells: g.cells() },
      ghost, clearing: g.clearing.map(i => i - HIDDEN), next: g.queue.slice(0, previews), hold: g.held,
      score: g.score, level: g.level, lines: g.lines, state: g.state === 'frozen' ? 'playing' : g.state,
      fraction: param('smooth') ? g.fraction() : 0,
    };
  };
  g.stack = Array.from({ length: rows + HIDDEN }, row);
  g.visible = () => g.stack.slice(HIDDEN);
  g.clearingRows = () => g.clearing.map(i => i - HIDDEN);
  return g;
}
