// The fallen petal again: mirrored, and the one that falls is another.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// A petal as a grid: rows along its length, each row with a width and a sideways bend.
function petalAt({ x, y, angle, size, bend, rows }) {
  const spine = rows.map(([u, w], i) => {
    const a = angle + (bend * i) / rows.length;
    return { px: x + size * u * cos(a), py: y + size * u * sin(a), nx: -sin(a) * w * size, ny: cos(a) * w * size };
  });
  const side = (list, sign) => list.map((s) => [s.px + sign * s.nx, s.py + sign * s.ny]);
  return side(spine, 1).concat(side([...spine].reverse(), -1));
}

function glaze(points, hex, opacity) {
  brush.fill(hex, opacity);
  brush.beginShape(0.5);
  points.forEach((p) => brush.vertex(width - p[0], p[1]));
  brush.endShape(true);
}

const WHOLE = [[0, 0.03], [0.18, 0.14], [0.4, 0.3], [0.62, 0.41], [0.8, 0.4], [0.93, 0.28], [1, 0.1]];
const INNER = [[0.04, 0.02], [0.25, 0.1], [0.5, 0.2], [0.68, 0.16], [0.8, 0.05]];
const TONGUE = [[0, 0.02], [0.12, 0.1], [0.26, 0.12], [0.38, 0.08], [0.46, 0.01]];

function draw() {
  translate(-width / 2, -height / 2);
  background('#f3ead6');
  brush.noStroke();
  const x = 322, y = 232;

  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.4);
  // stem and leaves arch to the right
  glaze([[330, 250], [392, 330], [424, 430], [418, 590], [432, 592], [440, 430], [408, 322], [342, 244]], '#76955a', 205);
  for (const [lx, ly, la, ls, hex] of [[430, 452, -32, 150, '#6f9a60'], [424, 500, 206, 118, '#94ae66'], [428, 380, 12, 128, '#4f7f62']]) {
    brush.fillBleed(0.25);
    glaze(petalAt({ x: lx, y: ly, angle: la, size: ls, bend: 24, rows: [[0, 0.01], [0.2, 0.15], [0.45, 0.24], [0.7, 0.18], [1, 0.01]] }), hex, 205);
    brush.fillBleed(0.18);
    glaze(petalAt({ x: lx, y: ly, angle: la, size: ls * 0.9, bend: 24, rows: [[0.04, 0.01], [0.4, 0.05], [1, 0]] }), '#335f4c', 185);
  }

  const held = [{ angle: -96, size: 214, bend: -12 }, { angle: -24, size: 210, bend: 16 }, { angle: 44, size: 178, bend: 16 }, { angle: 196, size: 212, bend: -16 }];
  const fallen = { x: 84, y: 490, angle: 14, size: 170, bend: -40 };
  const all = [...held.map((p) => ({ x, y, ...p })), fallen];

  all.forEach((p, i) => {
    // white is mostly shadow: blue-grey, then lilac, then a warm blush
    brush.fillBleed(0.26);
    brush.fillTexture(0.35, 0.6);
    glaze(petalAt({ ...p, rows: WHOLE }), ['#ded6e2', '#efdcd8', '#d4d3e2', '#e6d8da', '#efdad2'][i], 235);
    brush.fillBleed(0.36);
    brush.fillTexture(0.55, 0.3);
    glaze(petalAt({ ...p, angle: p.angle - 11, size: p.size * 0.95, rows: INNER }), i % 2 ? '#b3aed2' : '#a9b8cf', 195);
    glaze(petalAt({ ...p, angle: p.angle + 14, size: p.size * 0.92, rows: INNER }), '#eeb8a4', 180);
    brush.fillBleed(0.05);
    brush.fillTexture(0.15, 0.1);
    for (const s of [-20, -10, 1, 10, 19]) {
      glaze(petalAt({ ...p, angle: p.angle + s, size: p.size * random(0.66, 0.84), rows: [[0.2, 0.003], [0.5, 0.008], [0.8, 0.006], [1, 0.001]] }), '#d08a9a', 150);
    }
    // red eye: at the root of every petal, the fallen one included
    brush.fillBleed(0.36);
    brush.fillTexture(0.4, 0.35);
    for (const s of [-9, 8]) glaze(petalAt({ ...p, angle: p.angle + s, size: p.size * random(0.88, 1.04), rows: TONGUE }), '#d22f4c', 210);
    brush.fillBleed(0.24);
    glaze(petalAt({ ...p, size: p.size * 0.6, rows: TONGUE }), '#8a0e30', 215);
  });
  // where the fifth was: a green sepal shows
  glaze([[316, 236], [296, 280], [290, 320], [310, 292], [330, 250]], '#8aa858', 205);

  // stamen hangs down into the gap
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.3);
  glaze([[316, 230], [288, 290], [258, 350], [264, 354], [296, 298], [328, 236]], '#f7d9ae', 245);
  for (let i = 0; i < 20; i++) {
    const t = random(0.45, 1.02), px = lerp(322, 260, t) + random(-14, 14), py = lerp(232, 354, t) + random(-8, 8), r = random(2.8, 5);
    glaze([0, 60, 120, 180, 240, 300].map((a) => [px + r * cos(a), py + r * sin(a)]), i % 3 ? '#ecae2c' : '#cf7f20', 240);
  }
  // drops on the way down
  for (const [dx, dy, r] of [[214, 430, 5], [186, 456, 3.5], [232, 398, 2.8], [70, 560, 4]]) {
    glaze([0, 60, 120, 180, 240, 300].map((a) => [dx + r * cos(a), dy + r * sin(a)]), '#d22f4c', 200);
  }
}
