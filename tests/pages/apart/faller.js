// A piece that falls on a board of 10 by 20 cells of 20 pixels, answers the arrow keys, and comes to rest.
// In:  a 2D context. Out: what is to be called with each key.
self.fall = (c) => {
  const kinds = [[0, 1, 2, 3], [0, 1, 10, 11], [1, 10, 11, 12], [0, 10, 11, 12], [2, 10, 11, 12]];
  const filled = new Set();
  let n = 0;
  let piece = [];
  const cellsAt = (dx, dy) => piece.map((k) => k + dx + 10 * dy);
  const free = (dx, dy) => piece.every((k) => (k % 10) + dx >= 0 && (k % 10) + dx < 10 && k + dx + 10 * dy < 200 && !filled.has(k + dx + 10 * dy));
  const spawn = () => (piece = kinds[n++ % kinds.length].map((k) => k + 3));
  const draw = () => {
    c.fillStyle = '#123';
    c.fillRect(0, 0, 200, 400);
    c.fillStyle = '#fa3';
    for (const k of [...filled, ...piece]) c.fillRect((k % 10) * 20 + 1, Math.floor(k / 10) * 20 + 1, 18, 18);
  };
  const go = (dx, dy) => {
    if (free(dx, dy)) piece = cellsAt(dx, dy);
    else if (dy) {
      piece.forEach((k) => filled.add(k));
      if (filled.size > 60) filled.clear();
      spawn();
    }
    draw();
  };
  spawn();
  draw();
  setInterval(go, 250, 0, 1);
  return (key) => {
    if (key === 'ArrowLeft') go(-1, 0);
    if (key === 'ArrowRight') go(1, 0);
    if (key === 'ArrowDown') go(0, 1);
  };
};
