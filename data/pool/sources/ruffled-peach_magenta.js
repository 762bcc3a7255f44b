// The ruffled petals again, in magenta, turned by half a petal.
const CX = 296, CY = 288;

async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Lay a closed outline of [x, y] pairs.
function wash(outline, curve) {
  brush.beginShape(curve);
  for (const [x, y] of outline) brush.vertex(x, y);
  brush.endShape(true);
}

const at = (angle, radius) => [CX + radius * cos(angle), CY + radius * sin(angle)];

// A wedge that opens into a ruffled margin, its edges overlapping the neighbours'.
function petalOutline(angle, len, spread, ruffle) {
  const points = [at(angle, 4), at(angle - spread * 0.85, len * 0.3), at(angle - spread * 1.04, len * 0.66)];
  for (let i = 0; i <= 8; i++) {
    const side = map(i, 0, 8, -1, 1);
    const crown = 1 - 0.15 * side * side + ruffle * (noise(angle, i * 0.8) - 0.5) + (i % 2 ? 0.02 : -0.02);
    points.push(at(angle + side * spread, len * crown));
  }
  points.push(at(angle + spread * 1.02, len * 0.62), at(angle + spread * 0.8, len * 0.28));
  return points;
}

// A tongue of colour that leaves the throat and ends ragged, somewhere on the petal.
function tongue(angle, from, to, half) {
  const mid = lerp(from, to, 0.55);
  return [
    at(angle - half * 0.5, from), at(angle - half, mid), at(angle - half * 0.7, to * 0.92),
    at(angle - half * 0.15, to), at(angle + half * 0.4, to * 0.88), at(angle + half, mid), at(angle + half * 0.5, from),
  ];
}

function leaf(base, angle, len, wide) {
  const along = (t, s) => [base[0] + len * t * cos(angle) - s * wide * sin(angle), base[1] + len * t * sin(angle) + s * wide * cos(angle)];
  return [along(0, 0), along(0.2, -0.6), along(0.45, -1), along(0.72, -0.7), along(1, 0.05), along(0.7, 0.72), along(0.42, 0.95), along(0.18, 0.55)];
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f2e4');
  brush.noStroke();

  // leaves first, so that the petals fall over them
  brush.fillBleed(0.22);
  brush.fillTexture(0.4, 0.4);
  const leaves = [[126, 170, 118, 40, '#7fa05a'], [154, 168, 92, 30, '#93a85c'], [42, 176, 112, 42, '#5d8650'], [-50, 186, 92, 32, '#8aa65e']];
  for (const [a, r, len, w, green] of leaves) {
    brush.fill(green, 200);
    wash(leaf(at(a, r), a + 8, len, w), 0.5);
    brush.fill('#3f6b4a', 180);
    wash(leaf(at(a, r + 18), a + 10, len * 0.72, w * 0.3), 0.4);
  }

  const petals = [[-58, 220, 42], [14, 214, 44], [88, 210, 41], [160, 222, 42], [230, 216, 43]];
  const peach = ['#f584a9', '#f378a3', '#f78eaf', '#f2709e', '#f686aa'];

  // first pass: one broad wet wash a petal; second: the same paper, wetter and rosier
  petals.forEach(([a, len, spread], i) => {
    brush.fillBleed(0.26);
    brush.fillTexture(0.4, 0.45);
    brush.fill(peach[i], 200);
    wash(petalOutline(a, len, spread, 0.16), 0.5);
    brush.fillTexture(0.6, 0.2);
    brush.fill(peach[(i + 2) % 5], 170);
    wash(petalOutline(a + 3, len * 0.97, spread * 0.9, 0.2), 0.5);
  });
  // streaks of coral, uneven in length
  brush.fillBleed(0.3);
  brush.fillTexture(0.5, 0.15);
  petals.forEach(([a, len], i) => {
    for (const s of [-23, -4, 19]) {
      brush.fill(['#ee669d', '#ea609b', '#f06c9e'][(i + s + 25) % 3], 165);
      wash(tongue(a + s, 26, len * random(0.62, 0.86), 11), 0.5);
    }
  });
  // veins: fine slivers that follow the petal
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.1);
  for (const [a, len] of petals) {
    for (const s of [-27, -15, -5, 6, 16, 27]) {
      brush.fill('#cf4887', 130);
      wash(tongue(a + s, 44, len * random(0.58, 0.84), 0.9), 0.4);
    }
  }
  // throat: dark tongues running out from the centre, twice
  brush.fillTexture(0.35, 0.35);
  petals.forEach(([a, len], i) => {
    brush.fillBleed(0.32);
    brush.fill(i % 2 ? '#c23081' : '#cc3a87', 205);
    wash(tongue(a - 8, 6, len * random(0.42, 0.5), 15), 0.6);
    wash(tongue(a + 12, 6, len * random(0.34, 0.44), 14), 0.6);
    brush.fillBleed(0.2);
    brush.fill('#8c1a66', 210);
    wash(tongue(a + 2, 4, len * 0.27, 17), 0.6);
  });

  brush.fill('#a01c69', 200);
  wash([0, 60, 120, 180, 240, 300].map((a) => at(a, 15)), 0.6);

  // stamen column, leaning out of the throat, with its pollen
  const tip = at(-132, 160);
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.3);
  brush.fill('#fbe2b4', 240);
  wash([[CX - 6, CY - 2], [CX + 40, CY - 48], [tip[0] - 4, tip[1] - 2], [tip[0] + 3, tip[1] + 4], [CX + 50, CY - 40], [CX + 6, CY + 6]], 0.4);
  const dab = (x, y, r) => wash([0, 51, 103, 154, 206, 257, 309].map((a) => [x + r * cos(a), y + r * sin(a)]), 0.5);
  for (let i = 0; i < 20; i++) {
    const t = random(0.5, 0.97), off = random(-15, 15);
    brush.fill(i % 3 ? '#efae22' : '#d98a1c', 240);
    dab(lerp(CX, tip[0], t) + off * 0.7, lerp(CY, tip[1], t) + off, random(3, 5.5));
  }
  brush.fill('#b82474', 240);
  for (const [dx, dy] of [[4, -17], [17, -10], [14, 5], [-8, -9], [6, -4]]) dab(tip[0] + dx, tip[1] + dy, 4.5);
}
