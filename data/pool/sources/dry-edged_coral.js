// Coral left to dry hard.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const mid = { x: 304, y: 280 };
let tremble = 0;

// A petal by Bezier halves, sampled; `t` runs round the outline.
function bezierPetal(angle, length, girth, skew) {
  const local = [];
  const curve = (p0, p1, p2, p3, steps) => {
    for (let i = 0; i < steps; i++) {
      const t = i / steps, u = 1 - t;
      local.push([0, 1].map((k) => u * u * u * p0[k] + 3 * u * u * t * p1[k] + 3 * u * t * t * p2[k] + t * t * t * p3[k]));
    }
  };
  curve([0, 0], [length * 0.3, -girth * 0.5], [length * 0.5, -girth * 1.5], [length * 0.9, -girth * 0.7 + skew], 9);
  curve([length * 0.9, -girth * 0.7 + skew], [length * 1.08, -girth * 0.3], [length * 1.02, girth * 0.3], [length * 0.92, girth * 0.72 + skew], 7);
  curve([length * 0.92, girth * 0.72 + skew], [length * 0.5, girth * 1.45], [length * 0.28, girth * 0.5], [0, 0], 9);
  tremble += 1;
  brush.beginShape(0.45);
  local.forEach(([u, v], i) => {
    const k = 1 + 0.05 * (noise(tremble, i * 0.6) - 0.5);
    brush.vertex(mid.x + k * (u * cos(angle) - v * sin(angle)), mid.y + k * (u * sin(angle) + v * cos(angle)));
  });
  brush.endShape(true);
}

function spike(x, y, angle, length, half) {
  brush.beginShape(0.3);
  for (const [u, v] of [[0, half * 0.5], [0.4, half], [0.75, half * 0.6], [1, 0], [0.7, -half * 0.5], [0.4, -half], [0, -half * 0.5]]) {
    brush.vertex(x + length * u * cos(angle) - v * sin(angle), y + length * u * sin(angle) + v * cos(angle));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf3e5');
  brush.noStroke();

  brush.fillBleed(0.055);
  brush.fillTexture(0.5, 0.8);
  const blades = [[116, 186, 176, 40, '#6f9a4e'], [76, 200, 170, 36, '#4c8058'], [150, 190, 130, 34, '#93ad57'], [28, 196, 128, 32, '#5f8f5a'], [-40, 200, 92, 26, '#86a556']];
  for (const [a, r, len, half, hex] of blades) {
    brush.fill(hex, 200);
    spike(mid.x + (r - 60) * cos(a), mid.y + (r - 60) * sin(a), a + 6, len, half);
    brush.fill('#2f5f4a', 170);
    spike(mid.x + (r - 20) * cos(a), mid.y + (r - 20) * sin(a), a + 6, len * 0.66, half * 0.2);
  }

  const ring = [-70, 2, 76, 146, 216];
  const layers = [
    [1, 1, 0, 0.55, ['#e9978c', '#df8276', '#eca59b', '#db7568', '#e78f84'], 190],
    [0.94, 0.86, 10, 0.65, ['#df7567', '#da675a', '#e28578', '#d15b4e', '#dc7264'], 160],
    [0.74, 0.56, -8, 0.5, ['#cc473b', '#c5372c', '#d25346', '#bc3126', '#cd3f32'], 175],
    [0.52, 0.36, 6, 0.45, ['#a9241e', '#a11938', '#b02b24', '#951533', '#a51b3a'], 185],
    [0.3, 0.22, 0, 0.4, ['#650d24', '#5f0b21', '#6d0f27', '#57091d', '#630d23'], 210],
  ];
  for (const [reach, girth, skew, texture, hexes, opacity] of layers) {
    brush.fillTexture(texture, 0.9);
    ring.forEach((angle, i) => {
      brush.fill(hexes[i], opacity);
      bezierPetal(angle + random(-3, 3), (214 + 10 * (i % 2)) * reach, 84 * girth, skew * (i % 2 ? 1 : -1));
    });
  }
  // veins scratched with the point
  brush.fillTexture(0.2, 0.3);
  for (const angle of ring) {
    for (const s of [-22, -12, -3, 7, 17]) {
      brush.fill('#951533', 150);
      spike(mid.x + 50 * cos(angle + s), mid.y + 50 * sin(angle + s), angle + s * 1.15, random(90, 138), 1.5);
    }
  }
  // stamen and pollen
  brush.fill('#fdeec6', 245);
  spike(mid.x, mid.y, -30, 138, 6);
  for (let i = 0; i < 22; i++) {
    const r = random(62, 140), a = -30 + random(-9, 9);
    brush.fill(i % 3 ? '#f5b92c' : '#e0901c', 245);
    spike(mid.x + r * cos(a), mid.y + r * sin(a), a + (i % 2 ? 70 : -70), random(8, 13), 3.6);
  }
  brush.fill('#650d24', 215);
  spike(mid.x - 12 * cos(-30), mid.y - 12 * sin(-30), -30, 34, 12);
}
