// Mostly leaves: a yellow hibiscus lights up the top of a dense, wet clump of green.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// One toothed leaf as a turtle would walk it: down one side, back up the other.
function toothedLeaf(x, y, heading, length, fullness, teeth) {
  const left = [], right = [];
  for (let i = 1; i < teeth * 2; i++) {
    const t = i / (teeth * 2);
    const belly = fullness * pow(sin(180 * pow(t, 0.8)), 0.9) * (i % 2 ? 1 : 0.86);
    const bend = heading + 18 * t;
    const bx = x + length * t * cos(bend), by = y + length * t * sin(bend);
    left.push([bx + belly * sin(bend), by - belly * cos(bend)]);
    right.unshift([bx - belly * sin(bend), by + belly * cos(bend)]);
  }
  const tip = [x + length * cos(heading + 18), y + length * sin(heading + 18)];
  return [[x, y], ...left, tip, ...right];
}

const put = (hex, opacity, points, curve = 0.4) => {
  brush.fill(hex, opacity);
  brush.beginShape(curve);
  points.forEach(([px, py]) => brush.vertex(px, py));
  brush.endShape(true);
};

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f5e8');
  brush.noStroke();

  // from the far leaves, pale and blue, to the near ones, warm and strong
  const clump = [
    { x: 190, y: 300, a: 188, l: 146, f: 40, hex: '#a9c3b2', rib: '#86aa9c' },
    { x: 424, y: 296, a: -24, l: 140, f: 40, hex: '#a5c0a4', rib: '#80a58c' },
    { x: 206, y: 352, a: 166, l: 168, f: 46, hex: '#86ad84', rib: '#5c8c72' },
    { x: 402, y: 350, a: 4, l: 166, f: 46, hex: '#92b47c', rib: '#64906a' },
    { x: 252, y: 396, a: 86, l: 170, f: 46, hex: '#8fb27a', rib: '#5a8a66' },
    { x: 236, y: 392, a: 128, l: 178, f: 50, hex: '#6c9a5c', rib: '#3b6f50' },
    { x: 370, y: 388, a: 32, l: 182, f: 50, hex: '#7ba354', rib: '#477646' },
    { x: 338, y: 396, a: 58, l: 170, f: 46, hex: '#4f8458', rib: '#255a4c' },
  ];
  for (const { x, y, a, l, f, hex, rib } of clump) {
    brush.fillBleed(0.2);
    brush.fillTexture(0.45, 0.45);
    put(hex, 205, toothedLeaf(x, y, a, l, f, 7));
    brush.fillBleed(0.34);
    brush.fillTexture(0.55, 0.2);
    put(rib, 170, toothedLeaf(x, y, a + 6, l * 0.86, f * 0.55, 4));
    // midrib and side veins, darker still
    brush.fillBleed(0.05);
    brush.fillTexture(0.15, 0.2);
    const ribPoint = (t, off) => [x + l * t * cos(a + 18 * t + off), y + l * t * sin(a + 18 * t + off)];
    put(rib, 200, [ribPoint(0.02, 0), ribPoint(0.5, -1.2), ribPoint(0.94, 0), ribPoint(0.5, 1.2)], 0.3);
    for (const t of [0.3, 0.45, 0.6]) {
      put(rib, 170, [ribPoint(t, 0), ribPoint(t + 0.12, -8), ribPoint(t + 0.24, -12), ribPoint(t + 0.13, -6)], 0.3);
      put(rib, 170, [ribPoint(t, 0), ribPoint(t + 0.12, 8), ribPoint(t + 0.24, 12), ribPoint(t + 0.13, 6)], 0.3);
    }
  }

  // the flower: each petal a fan of three overlapping strokes
  const cx = 304, cy = 232;
  const stroke3 = (a, r, spread) => {
    const pts = [[cx + 6 * cos(a + 60), cy + 6 * sin(a + 60)], [cx + 6 * cos(a - 60), cy + 6 * sin(a - 60)]];
    for (let k = -3; k <= 3; k++) {
      const b = a + (k / 3) * spread;
      pts.push([cx + r * (1 - 0.1 * abs(k / 3) + random(-0.03, 0.03)) * cos(b), cy + r * (1 - 0.1 * abs(k / 3)) * sin(b)]);
    }
    return pts;
  };
  const petals = [-90, -18, 54, 126, 198];
  for (const [i, a] of petals.entries()) {
    const r = a > 30 && a < 150 ? 176 : 196;
    brush.fillBleed(0.26);
    brush.fillTexture(0.4, 0.45);
    put(['#f9de66', '#f7d34e', '#fae27a', '#f6cd46', '#f8d95c'][i], 215, stroke3(a, r, 38), 0.5);
    brush.fillBleed(0.38);
    brush.fillTexture(0.6, 0.2);
    put('#f5bf3c', 180, stroke3(a - 15, r * 0.92, 17), 0.5);
    put('#f8d04a', 180, stroke3(a + 15, r * 0.96, 18), 0.5);
    brush.fillTexture(0.5, 0.2);
    put('#ec9a34', 170, stroke3(a + 3, r * 0.62, 17), 0.5);
  }
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const a of petals) for (const s of [-24, -12, -2, 9, 21]) {
    const far = random(112, 150);
    put('#cc7a2a', 145, [[cx + 44 * cos(a + s), cy + 44 * sin(a + s)], [cx + 0.6 * far * cos(a + s - 0.7), cy + 0.6 * far * sin(a + s - 0.7)], [cx + far * cos(a + s * 1.15), cy + far * sin(a + s * 1.15)], [cx + 0.6 * far * cos(a + s + 0.8), cy + 0.6 * far * sin(a + s + 0.8)]]);
  }
  brush.fillBleed(0.34);
  brush.fillTexture(0.35, 0.35);
  for (const a of petals) put('#b5302e', 205, stroke3(a + 2, random(62, 78), 30), 0.6);
  brush.fillBleed(0.22);
  for (const a of petals) put('#6c1430', 210, stroke3(a, 38, 30), 0.6);
  put('#8c1c30', 230, [0, 60, 120, 180, 240, 300].map((g) => [cx + 20 * cos(g), cy + 20 * sin(g)]), 0.6);

  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.3);
  put('#fdf0c8', 245, [[298, 234], [262, 180], [236, 118], [242, 115], [272, 176], [310, 228]]);
  for (let i = 0; i < 20; i++) {
    const t = random(0.45, 1.04), px = lerp(304, 238, t) + random(-14, 14), py = lerp(232, 116, t) + random(-8, 8), r = random(2.8, 4.8);
    put(i % 4 ? '#e88f1e' : '#c8501e', 245, [0, 60, 120, 180, 240, 300].map((g) => [px + r * cos(g), py + r * sin(g)]), 0.5);
  }
}
