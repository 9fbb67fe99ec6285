// The numbers, the preview and the held piece beside the board.
'use strict';

function createNumbers(side, game) {
  const kind = param('score', 'dom'), names = param('numbers', 'score,level,lines').split(',').filter(Boolean);
  const shown = {}, holders = {};
  if (param('mode') === 'sub') return { update() {}, list: () => names.map(n => [say(n), String(game[n])]) };
  for (const name of names) {
    const line = make('div', side, 'margin:0 0 14px');
    make('div', line, 'font-size:13px;opacity:.8').textContent = say(name);
    holders[name] = kind === 'canvas' ? newCanvas(line, 120, 28) : make('div', line, 'font-size:22px;min-height:1.2em', kind === 'after' ? 'after' : '');
  }
  function write(name, value) {
    const e = holders[name];
    const text = kind === 'thousands' ? value.toLocaleString(LANG === 'none' ? 'en' : LANG) : kind === 'padded' ? String(value).padStart(6, '0') : String(value);
    if (kind === 'after') e.dataset.v = text;
    else if (kind === 'digits') e.replaceChildren(...[...text].map(digit => Object.assign(document.createElement('span'), { textContent: digit })));
    else if (kind === 'canvas') {
      const g = e.getContext('2d');
      g.clearRect(0, 0, 120, 28);
      g.fillStyle = PALETTE.text; g.font = '22px sans-serif'; g.fillText(text, 0, 22);
    } else e.textContent = text;
  }
  return {
    update() {
      for (const name of names) {
        let value = game[name];
        // A counter that rolls towards its value, a step a frame.
        if (kind === 'rolling' && shown[name] < value) value = shown[name] + Math.max(1, Math.ceil((value - shown[name]) / 10));
        if (shown[name] === value) continue;
        shown[name] = value;
        write(name, value);
      }
    },
    list: () => names.map(name => [say(name), String(game[name])]),
  };
}

// One small picture of pieces under one another, in the board's own technique.
function createPictures(side, word, count) {
  if (count === 0) return () => {};
  const size = 16, family = /^svg/.test(RENDERER) ? 'svg' : /^(canvas|webgl)$/.test(RENDERER) ? 'canvas' : RENDERER === 'pre' ? 'pre' : 'div';
  make('div', side, 'font-size:13px;opacity:.8').textContent = say(word);
  const holder = make('div', side, `width:${4 * size}px;height:${count * 3 * size}px;margin:4px 0 14px;position:relative`);
  const canvas = family === 'canvas' ? newCanvas(holder, 4 * size, count * 3 * size) : null;
  let before = null;
  return kinds => {
    const key = kinds.join();
    if (key === before) return;
    before = key;
    if (canvas) canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height); else holder.replaceChildren();
    if (family === 'pre') {
      const lines = kinds.flatMap(kind => [0, 1, 2].map(r => [0, 1, 2, 3].map(c => (thumbnail(kind).some(p => p[0] === c && p[1] === r) ? '[]' : '  ')).join('')));
      make('pre', holder, `font:${size}px/1 monospace;margin:0`).textContent = lines.join('\n');
      return;
    }
    const root = family === 'svg' ? svg('svg', holder, { width: 4 * size, height: count * 3 * size }) : holder;
    kinds.forEach((kind, i) => {
      for (const [c, r] of thumbnail(kind)) {
        const x = c * size, y = (i * 3 + r) * size;
        if (canvas) { const g = canvas.getContext('2d'); g.fillStyle = PALETTE[kind]; g.fillRect(x, y, size - 1, size - 1); }
        else if (family === 'svg') svg('rect', root, { x, y, width: size - 1, height: size - 1, fill: PALETTE[kind] });
        else make('div', root, `position:absolute;left:${x}px;top:${y}px;width:${size - 1}px;height:${size - 1}px;background:${PALETTE[kind]}`);
      }
    });
  };
}
