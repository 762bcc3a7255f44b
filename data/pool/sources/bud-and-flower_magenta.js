// Flower and bud in magenta, the bud on the left.
const PAPER = '#f9f2e3';

async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Points of a quadratic curve, thickened into a ribbon that tapers from w0 to w1.
function ribbon(hex, opacity, [ax, ay], [bx, by], [cx, cy], w0, w1) {
  const left = [], right = [];
  for (let i = 0; i <= 8; i++) {
    const t = i / 8, u = 1 - t;
    const px = u * u * ax + 2 * u * t * bx + t * t * cx, py = u * u * ay + 2 * u * t * by + t * t * cy;
    const dir = atan2(2 * u * (by - ay) + 2 * t * (cy - by), 2 * u * (bx - ax) + 2 * t * (cx - bx));
    const w = lerp(w0, w1, t);
    left.push([px - w * sin(dir), py + w * cos(dir)]);
    right.unshift([px + w * sin(dir), py - w * cos(dir)]);
  }
  fillShape(hex, opacity, 0.3, left.concat(right));
}

function fillShape(hex, opacity, curve, points) {
  brush.fill(hex, opacity);
  brush.beginShape(curve);
  points.forEach(([px, py]) => brush.vertex(width - px, py));
  brush.endShape(true);
}

// A teardrop outline: (x, y) is its foot, `fat` where it is widest along the way.
function drop(x, y, angle, len, wide, fat) {
  const out = [];
  for (let a = 0; a < 360; a += 24) {
    const along = pow((1 - cos(a)) / 2, fat), across = sin(a) * (0.35 + 0.65 * along);
    const jag = random(-0.02, 0.02);
    out.push([x + len * (along + jag) * cos(angle) - wide * across * sin(angle), y + len * (along + jag) * sin(angle) + wide * across * cos(angle)]);
  }
  return out;
}

function draw() {
  translate(-width / 2, -height / 2);
  background(PAPER);
  brush.noStroke();

  // stem and side shoot
  brush.fillBleed(0.12);
  brush.fillTexture(0.35, 0.4);
  ribbon('#6a8a4a', 205, [352, 596], [370, 480], [274, 334], 8, 5);
  ribbon('#7d9c55', 205, [366, 520], [470, 420], [462, 214], 6, 3.5);

  // leaves
  brush.fillBleed(0.24);
  brush.fillTexture(0.5, 0.35);
  for (const [x, y, a, len, wide, hex, rib] of [
    [452, 380, 8, 120, 46, '#7fa257', '#4a7444'], [448, 420, 118, 128, 48, '#5b8752', '#2f5f4c'],
    [356, 540, 196, 150, 44, '#93ab5c', '#56803f'], [374, 560, -8, 140, 36, '#6b9358', '#3b6a4c'],
  ]) {
    fillShape(hex, 200, 0.5, drop(x, y, a, len, wide, 0.8));
    fillShape(rib, 185, 0.4, drop(x + 8 * cos(a), y + 8 * sin(a), a + 3, len * 0.8, wide * 0.26, 0.8));
  }

  // the bud: furled petals wrapped over one another, then the calyx
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.4);
  fillShape('#f47caa', 205, 0.5, drop(462, 214, -78, 128, 42, 0.95));
  fillShape('#e95c9b', 190, 0.5, drop(458, 208, -88, 116, 22, 0.9));
  fillShape('#d94e94', 180, 0.5, drop(470, 206, -70, 122, 11, 1));
  fillShape('#6f9650', 210, 0.5, drop(462, 226, -104, 62, 13, 0.8));
  fillShape('#5b8748', 210, 0.5, drop(462, 226, -76, 70, 14, 0.8));
  fillShape('#7fa257', 205, 0.5, drop(464, 226, -46, 58, 12, 0.8));

  // the open flower, a little below and left of the middle
  const cx = 252, cy = 304;
  const petals = [-104, -30, 42, 112, 184];
  const coats = [
    { hex: ['#f792b8', '#f580ad', '#f89cbd'], len: 1, wide: 86, bleed: 0.28, texture: 0.45, opacity: 195 },
    { hex: ['#f36fa3', '#f684af', '#ef68a0'], len: 0.93, wide: 66, bleed: 0.36, texture: 0.6, opacity: 170 },
    { hex: ['#e85c9c', '#ec649f', '#e55a9d'], len: 0.7, wide: 36, bleed: 0.4, texture: 0.5, opacity: 180 },
    { hex: ['#b6287c', '#c33a87', '#ad2277'], len: 0.42, wide: 22, bleed: 0.34, texture: 0.35, opacity: 205 },
    { hex: ['#741663', '#80196c', '#6b125b'], len: 0.24, wide: 13, bleed: 0.2, texture: 0.3, opacity: 215 },
  ];
  coats.forEach(({ hex, len, wide, bleed, texture, opacity }, c) => {
    brush.fillBleed(bleed);
    brush.fillTexture(texture, 0.4);
    petals.forEach((a, i) => {
      const size = 206 + 12 * sin(i * 140);
      fillShape(hex[(i + c) % 3], opacity, 0.5, drop(cx, cy, a + random(-4, 4), size * len, wide, 0.62));
    });
  });
  // fine veins
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const a of petals) for (const s of [-20, -9, 4, 16]) {
    const to = random(128, 176);
    ribbon('#c94a8e', 130, [cx + 50 * cos(a + s * 0.6), cy + 50 * sin(a + s * 0.6)], [cx + 100 * cos(a + s), cy + 100 * sin(a + s)], [cx + to * cos(a + s * 1.3), cy + to * sin(a + s * 1.3)], 1.4, 0.5);
  }
  // stamen
  brush.fillTexture(0.2, 0.3);
  ribbon('#fbe3b6', 240, [cx, cy], [cx - 40, cy + 60], [cx - 38, cy + 140], 6, 3);
  for (let i = 0; i < 20; i++) {
    const t = random(0.5, 1);
    fillShape(i % 3 ? '#efb02a' : '#d3861e', 240, 0.6, drop(cx - 44 * t + random(-15, 15), cy + 138 * t + random(-9, 9), random(360), 9, 4.5, 0.8));
  }
}
