// Which cells of the 10x20 test board are filled; the same on every page.
const COLUMNS = 10, ROWS = 20, CELL = 20;
const filled = (c, r) => (c * 7 + r * 3) % 5 === 0;
const COLOURS = ["#e04040", "#40b040", "#4060e0", "#d0a020", "#a040c0", "#20b0b0", "#e08020"];
const colour = (c, r) => COLOURS[(c + r) % 7];
const each = (see) => { for (let r = 0; r < ROWS; r++) for (let c = 0; c < COLUMNS; c++) see(c, r, filled(c, r)); };
