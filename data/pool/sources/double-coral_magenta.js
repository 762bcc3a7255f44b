// A double flower in magenta.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

let cx = 300, cy = 284;

function crumpled(turn, near, far, half, crumple, seed) {
  brush.beginShape(0.45);
  const steps = 9;
  brush.vertex(cx + near * cos(turn), cy + near * sin(turn));
  for (let i = 0; i <= steps; i++) {
    const s = (2 * i) / steps - 1;
    const edge = far * (1 - 0.2 * pow(abs(s), 2.2)) * (1 + crumple * (noise(seed * 3, i * 0.7) - 0.5));
    if (i === 0) brush.vertex(cx + edge * 0.55 * cos(turn + s * half * 1.05), cy + edge * 0.55 * sin(turn + s * half * 1.05));
    brush.vertex(cx + edge * cos(turn + s * half), cy + edge * sin(turn + s * half));
    if (i === steps) brush.vertex(cx + edge * 0.55 * cos(turn + s * half * 1.05), cy + edge * 0.55 * sin(turn + s * half * 1.05));
  }
  brush.endShape(true);
}

function leafPair(angle, hex, vein) {
  const bx = cx + 170 * cos(angle), by = cy + 170 * sin(angle);
  for (const [hue, length, half] of [[hex, 112, 34], [vein, 86, 9]]) {
    brush.fill(hue, hue === hex ? 205 : 185);
    brush.beginShape(0.5);
    for (let a = 0; a < 360; a += 30) {
      const u = length * (0.5 - 0.5 * cos(a)), v = half * sin(a) * (1 - 0.3 * cos(a));
      brush.vertex(bx + u * cos(angle) - v * sin(angle), by + u * sin(angle) + v * cos(angle));
    }
    brush.endShape(true);
  }
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf3e6');
  brush.noStroke();

  brush.fillBleed(0.24);
  brush.fillTexture(0.45, 0.4);
  leafPair(140, '#7da258', '#46774a');
  leafPair(96, '#5c8d5e', '#2d6052');
  leafPair(34, '#94b064', '#5c8b4e');
  leafPair(-34, '#6d9a62', '#3a6d52');

  const whorls = [
    { count: 5, far: 218, half: 41, crumple: 0.24, turn: -54, wash: ['#f88cbc', '#f680b6', '#f997c1'], deep: '#ef68ab', opacity: 195 },
    { count: 5, far: 160, half: 38, crumple: 0.34, turn: -62, wash: ['#f274b0', '#ef6cad', '#f47eb5'], deep: '#dd54a2', opacity: 190 },
    { count: 5, far: 106, half: 36, crumple: 0.5, turn: -98, wash: ['#e85ea8', '#e258a5', '#ec68ad'], deep: '#b92c8a', opacity: 195 },
  ];
  let grain = 1;
  for (const { count, far, half, crumple, turn, wash, deep, opacity } of whorls) {
    for (let i = 0; i < count; i++) {
      const a = turn + (360 / count) * i + random(-5, 5);
      brush.fillBleed(0.26);
      brush.fillTexture(0.42, 0.5);
      brush.fill(wash[i % 3], opacity);
      crumpled(a, 4, far, half, crumple, ++grain);
      brush.fillBleed(0.4);
      brush.fillTexture(0.58, 0.2);
      brush.fill(wash[(i + 1) % 3], 165);
      crumpled(a + 5, 14, far * 0.93, half * 0.8, crumple * 1.3, ++grain);
      // the shadow each petal throws on the next
      brush.fillTexture(0.5, 0.3);
      brush.fill(deep, 175);
      crumpled(a - half * 0.5, 16, far * random(0.7, 0.84), half * 0.34, crumple, ++grain);
    }
    brush.fillBleed(0.05);
    brush.fillTexture(0.15, 0.1);
    brush.fill(deep, 150);
    for (let i = 0; i < count; i++) {
      for (const s of [-0.3, 0.1, 0.5]) {
        const a = turn + (360 / count) * i + s * half;
        crumpled(a, far * 0.4, far * random(0.7, 0.86), 0.55, 0, 0);
      }
    }
  }
  // crimson heart, a few golden anthers caught between the folds
  brush.fillBleed(0.34);
  brush.fillTexture(0.35, 0.4);
  for (let a = 0; a < 360; a += 72) {
    brush.fill('#8c1675', 210);
    crumpled(a + 20, 2, random(40, 56), 26, 0.4, ++grain);
  }
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.3);
  for (let i = 0; i < 19; i++) {
    const a = random(360), r = random(8, 58);
    brush.fill(i % 3 ? '#f3b42e' : '#db8a20', 245);
    const px = cx, py = cy;
    cx = px + r * cos(a);
    cy = py + r * sin(a);
    crumpled(random(360), -4, random(4, 7), 60, 0, 0);
    cx = px;
    cy = py;
  }
}
