// One page: board, numbers, start, pause, end and restart around a game; then the loop that drives it all.
'use strict';

const RENDERER = param('renderer', 'canvas');

// Every second cell of ten columns: the odd ones of one row, the even ones of the next.
const CHECKS = [1, 3, 5, 7, 9, 12, 14, 16, 18, 20];

const SHEET = `
  .app { display:flex; gap:28px; padding:20px; color:${PALETTE.text}; background:${PALETTE.page}; font:16px sans-serif; width:max-content; margin:${{ left: '0', center: '24px auto', right: '0 0 0 auto' }[param('align', 'left')]}; }
  .app button { font:inherit; padding:8px 20px; }
  .stage { position:relative; direction:ltr; width:max-content; align-self:flex-start; }
  .veil { position:absolute; inset:0; z-index:5; display:grid; place-content:center; justify-items:center; gap:14px; background:rgb(0 0 0 / 55%); color:#fff; font-size:20px; }
  .veil:empty { display:none; }
  .after::after { content:attr(data-v); }
  .q { box-sizing:border-box; border:1px solid ${PALETTE.line}; }
  ${[...KINDS].map(k => `.q.k${k} { background:${PALETTE[k]}; }`).join('\n')}
  .q.kflash { background:#fff; }
  .q.ghost { background:rgb(140 140 150 / 30%); }
  .var .q { background:var(--ink, ${PALETTE.well}); }
  .checker .q { border:0; }
  .checker .q:not([class*=' ']) { background:#1a1d29; }
  ${CHECKS.map(n => `.checker .q:not([class*=' ']):nth-child(20n+${n})`).join()} { background:#2b3147; }
  .outlined .q { border:0; }
  .outlined .q[class*=' '] { outline:3px solid #000; }
  .emoji .q { border:0; font-size:${CELL - 4}px; line-height:${CELL}px; text-align:center; overflow:hidden; }
`;

function build(root) {
  const style = document.createElement('style');
  style.textContent = SHEET;
  root.append(style);
  const game = createGame(), draw = createView(game);
  const app = make('main', root, '', 'app');
  const stage = make('div', app, '', 'stage');
  const host = make('div', stage);
  const side = make('div', app, 'width:160px');
  if (say('title')) make('h1', side, 'font-size:18px;margin:0 0 14px').textContent = say('title');
  const board = RENDERERS[RENDERER](host, game);
  const numbers = createNumbers(side, game);
  const previews = number('preview', 1), sub = param('mode') === 'sub';
  const next = createPictures(side, 'next', sub ? 0 : previews);
  const hold = createPictures(side, 'hold', SCHEME.hold && !sub ? 1 : 0);
  const veil = make('div', stage, '', 'veil');
  const note = make('p', side);

  const page = {
    root, side, board: board.element, text: [], lit: -1, attract: '',
    veil(words = '') { veil.replaceChildren(); if (words) make('p', veil, 'margin:0').textContent = words; else make('span', veil); return veil; },
    unveil() { veil.replaceChildren(); },
    button(where, words, act) {
      const b = make('button', where);
      b.textContent = words;
      b.addEventListener('click', act);
      return b;
    },
    onceKey(right, act) {
      const hear = e => { if (!right(e)) return; removeEventListener('keydown', hear); act(); };
      // Not the key press that is being handled now: menus ask one after the other.
      setTimeout(() => addEventListener('keydown', hear));
    },
  };

  const overKind = param('over', 'overlay'), restart = defect('no_restart') ? 'none' : param('restart', 'both');
  function again() { page.unveil(); note.textContent = ''; page.text = []; game.start(); }
  function ended() {
    if (defect('over_is_error')) return;
    if (overKind === 'alert') setTimeout(() => alert(`${say('over')} ${game.score}`));
    if (overKind === 'prompt') setTimeout(() => prompt(`${game.score}`, 'abc'));
    if (overKind === 'canvas') page.text = [say('over'), String(game.score)];
    if (overKind === 'text') note.textContent = say('over');
    const box = overKind === 'overlay' ? page.veil(say('over') || '■') : side;
    if (restart === 'both' || restart === 'button') {
      const b = page.button(box, say('again') || '↻', () => { b.remove(); again(); });
    }
    if (restart === 'auto') setTimeout(again, 1500);
    if (restart === 'any') page.onceKey(() => true, again);
  }

  const onBoard = param('trigger') === 'canvas';
  if (onBoard) { board.element.tabIndex = 0; board.element.style.outline = 'none'; }
  const poll = listen(onBoard ? board.element : window, game, action => {
    if (action === 'pause') { if (game.games > 0 && game.state !== 'over') { game.pause(); if (param('start') !== 'focus_keep') { if (game.state === 'paused') page.veil(say('pause') || '❚❚'); else page.unveil(); } } }
    else if (action === 'restart') { if (game.state === 'over' && (restart === 'both' || restart === 'key')) { side.querySelectorAll(':scope > button').forEach(b => b.remove()); again(); } }
    else game.act(action);
  });

  let was = 'menu', attractFor = 0;
  function frame(dt) {
    poll(dt);
    game.advance(dt);
    if (game.state === 'over' && was !== 'over') ended();
    was = game.state;
    attractFor += dt;
    board.paint(page.attract === 'rest' || page.attract === 'play' ? heap(game, attractFor, page.attract === 'play') : page.attract ? attract(game, attractFor, page.attract === 'drift') : draw(), Object.assign(numbers.list(), { title: say('title'), next: previews > 0 && game.games > 0 ? game.shown.slice(0, previews) : [] }));
    if (page.text.length > 0 && board.context) {
      const g = board.context;
      g.save();
      g.font = '20px sans-serif'; g.textAlign = 'center';
      page.text.forEach((line, i) => {
        const at = 160 + 34 * i;
        if (i === page.lit) { g.globalAlpha = 0.3 + 0.06 * Math.sin(attractFor / 300); g.fillStyle = PALETTE.wall; g.fillRect(0, at - 24, board.width, 34); g.globalAlpha = 1; }
        g.fillStyle = PALETTE.text;
        g.fillText(line, board.width / 2, at);
      });
      // Not every frame is as bright as the one before.
      if (page.lit >= 0) { g.fillStyle = `rgb(255 255 255 / ${0.004 * (1 + Math.floor(attractFor / 50) % 3)})`; g.fillRect(0, 0, board.width, board.height); }
      g.restore();
    }
    numbers.update();
    if (game.games > 0) { next(game.shown.slice(0, previews)); hold(game.held ? [game.held] : []); }
  }
  const kind = param('kind', 'game');
  if (kind === 'game') STARTS[param('start', 'button')](page, () => game.start(), game);
  else picture(kind, page, game);
  // Where the field is on the page: x, y, width and height in CSS pixels of the viewport, however it is scaled.
  const where = () => {
    const box = board.element.getBoundingClientRect(), [l, t, w, h] = board.field ?? [0, 0, 1, 1];
    return { x: box.x + l * box.width, y: box.y + t * box.height, width: w * box.width, height: h * box.height };
  };
  return { game, frame, where };
}

// Blocks that fall through the title screen in whole rows, over and over.
function attract(game, time, drifts) {
  const cells = Array.from({ length: game.rows }, () => Array(game.cols).fill(null));
  KINDS.forEach((kind, i) => {
    const y = (Math.floor(time / (260 + 40 * i)) + 5 * i) % (game.rows + 4) - 2;
    for (const [c, r] of thumbnail(kind)) {
      const aside = drifts ? (i % 2 ? 1 : -1) * Math.floor(time / (310 + 50 * i)) : 0;
      const x = (((i * 3 + c + aside) % game.cols) + game.cols) % game.cols;
      if (y + r >= 0 && y + r < game.rows) cells[y + r][x] = kind;
    }
  });
  return { stack: cells, active: [], kind: null, ghost: [], cells, fraction: 0 };
}

// Blocks that fall in whole rows and come to rest on the floor, side by side, until there is no more room. In a demonstration
// they are steered to and fro on their way.
function heap(game, time, steered) {
  const FALL = 150, EACH = FALL * (game.rows + 6), columns = [0, 4, 7];
  const cells = Array.from({ length: game.rows }, () => Array(game.cols).fill(null));
  const now = Math.floor(time / EACH);
  for (let n = now - (now % columns.length); n <= now; n += 1) {
    const kind = KINDS[n % KINDS.length], box = thumbnail(kind), floor = game.rows - 1 - Math.max(...box.map(c => c[1]));
    const y = n < now ? floor : Math.min(Math.floor((time - n * EACH) / FALL), floor);
    const left = Math.min(columns[n % columns.length], game.cols - 2 - Math.max(...box.map(c => c[0])));
    const at = steered && y < floor ? left + Math.abs(y % 2) : left;
    for (const [c, r] of box) if (y + r >= 0) cells[y + r][at + c] = kind;
  }
  return { stack: cells, active: [], kind: null, ghost: [], cells, fraction: 0 };
}

// Pages that only look like a game.
function picture(kind, page, game) {
  for (let r = game.stack.length - 5; r < game.stack.length; r += 1) {
    for (let c = 0; c < game.cols; c += 1) if ((c * 5 + r * 3) % 4 !== 0) game.stack[r][c] = KINDS[(c + r) % 7];
  }
  game.piece = { kind: 'T', size: 3, box: BOXES.T[1], turn: 0, x: 3, y: 4 };
  game.state = 'picture';
  let dy = 0;
  // The same piece falls the same way again and again and never arrives.
  if (kind === 'animated') setInterval(() => { dy = (dy + 1) % 9; game.piece.y = 1 + dy; }, 400);
  if (kind === 'pulsing') setInterval(() => { page.board.style.filter = page.board.style.filter ? '' : 'hue-rotate(60deg) brightness(1.3)'; }, 500);
  if (kind === 'dead_button') { const b = page.button(page.veil(), say('start') || '▶', () => { b.remove(); page.unveil(); }); }
}

// Self-playing boards beside the real one.
function demo(host, i) {
  const game = createGame({ cols: 10, rows: 20 }), draw = createView(game);
  const board = RENDERERS.canvas(make('div', host, 'zoom:.4;margin:10px'), game);
  game.start();
  setInterval(() => { if (game.state === 'over') game.start(); else game.act(['left', 'right', 'cw', 'hard'][(i + Math.floor(Math.random() * 4)) % 4]); }, 700);
  return dt => { game.advance(dt); board.paint(draw(), Object.assign([], { title: '', next: [] })); };
}

function drive(frame) {
  const loop = param('loop', 'raf');
  if (loop === 'interval') setInterval(() => frame(20), 20);
  else if (loop === 'timeout') { const tick = () => { frame(25); setTimeout(tick, 25); }; tick(); }
  // A worker's timers tick on while the page's own clock is held.
  else if (loop === 'worker') {
    const source = URL.createObjectURL(new Blob(['setInterval(() => postMessage(0), 25)'], { type: 'text/javascript' }));
    new Worker(source).onmessage = () => frame(25);
  } else {
    let last = null;
    const tick = now => {
      requestAnimationFrame(tick);
      const dt = last === null ? 0 : Math.min(now - last, 200);
      last = now;
      frame(loop === 'frames' ? 1000 / 60 : dt);
    };
    requestAnimationFrame(tick);
  }
}

(function boot() {
  document.documentElement.lang = LANG === 'none' ? '' : LANG;
  document.documentElement.dir = LANG === 'ar' ? 'rtl' : 'ltr';
  document.title = say('title');
  document.body.style.cssText = `margin:0;background:${PALETTE.page}`;
  if (param('noise')) console.error('a font that is not there');
  const wrap = param('wrap', 'none');
  if (wrap === 'iframe') {
    const query = new URLSearchParams(PARAMS);
    query.delete('wrap');
    const frame = make('iframe', document.body, 'width:700px;height:640px;border:0;margin:40px');
    frame.src = `game.html?${query}`;
    window.__truth = () => frame.contentWindow.__truth?.() ?? null;
    window.__board = () => {
      const box = frame.getBoundingClientRect(), inner = frame.contentWindow.__board();
      return { ...inner, x: box.x + inner.x, y: box.y + inner.y };
    };
    return;
  }
  if (wrap === 'below') make('div', document.body, 'height:2000px').textContent = '·';
  if (defect('page_scroll')) make('div', document.body, 'position:absolute;top:0;width:1px;height:3000px');
  // A bar that stays where it is when the page is scrolled, and lies over the board then.
  if (param('bar')) make('div', document.body, `position:sticky;top:0;height:60px;z-index:30;background:${PALETTE.line}`).textContent = say('title');
  const frames = [], count = number('demos', 0);
  if (count > 0) {
    const strip = make('div', document.body, 'display:flex');
    for (let i = 0; i < count; i += 1) frames.push(demo(strip, i));
  }
  const styles = { scale: 'transform:scale(.8);transform-origin:0 0', rotate0: 'transform:rotate(0deg) translate3d(13px,7px,0)', zoom: 'zoom:1.25', scroller: 'height:420px;width:640px;overflow:auto', grown: 'transform:scale(1.35);transform-origin:0 0' };
  let root = make('div', document.body, styles[wrap] ?? '');
  if (wrap === 'shadow' || wrap === 'closed') root = root.attachShadow({ mode: wrap === 'shadow' ? 'open' : 'closed' });
  if (param('kind') === 'blank') return;
  const { game, frame, where } = build(root);
  // The tests' own hooks; see README.md. No part of the game uses them.
  window.__board = where;
  window.__truth = game.truth;
  drive(dt => { for (const other of frames) other(dt); frame(dt); });
})();
