// The bell in coral, hanging to the left.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const NECK = { x: 318, y: 176 };

// Skirt coordinates: `s` -1..1 round the bell, `d` 0..1 down from the neck to the hem.
function skirt(s, d) {
  const flare = 24 + 190 * pow(d, 1.6), drop = 268 * d - 74 * d * s * s;
  return [NECK.x - 18 * d + flare * s + 14 * sin(d * 200), NECK.y + drop];
}

function gore(hex, opacity, s0, s1, d0, d1, scallop) {
  const hem = [], neck = [];
  for (let i = 0; i <= 6; i++) {
    const s = lerp(s0, s1, i / 6), lobe = pow(abs(i / 3 - 1), 2.4);
    hem.push(skirt(s, d1 * (1 - (0.05 + 2 * scallop) * lobe + random(-0.02, 0.02)) + (i % 2 ? 0.014 : -0.014)));
    if (i % 2 === 0) neck.unshift(skirt(s, d0));
  }
  const left = skirt(s0 * 1.04, lerp(d0, d1, 0.55)), right = skirt(s1 * 1.04, lerp(d0, d1, 0.55));
  spread(hex, opacity, [left, ...hem, right, ...neck], 0.5);
}

function spread(hex, opacity, outline, curve) {
  brush.fill(hex, opacity);
  brush.beginShape(curve);
  outline.forEach((p) => brush.vertex(width - p[0], p[1]));
  brush.endShape(true);
}

function mood(bleed, texture, border) {
  brush.fillBleed(bleed);
  brush.fillTexture(texture, border);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f4e3');
  brush.noStroke();

  // the stalk comes in from the upper left and hooks over
  mood(0.1, 0.4, 0.45);
  spread('#7b994f', 210, [[96, 112], [168, 74], [244, 62], [304, 88], [328, 150], [316, 156], [292, 100], [240, 76], [172, 88], [102, 124]], 0.5);
  for (const [x, y, a, l, w, hex, rib] of [[150, 84, 122, 158, 38, '#86a756', '#4d7a42'], [206, 66, 96, 128, 32, '#5f8f5c', '#2f6050'], [258, 66, 14, 150, 32, '#9ab565', '#64904e'], [120, 100, 204, 84, 24, '#6f9b5e', '#3f704e']]) {
    const pt = (u, v) => [x + l * u * cos(a) - w * v * sin(a), y + l * u * sin(a) + w * v * cos(a)];
    mood(0.24, 0.48, 0.4);
    spread(hex, 205, [pt(0, 0), pt(0.18, 0.6), pt(0.42, 1), pt(0.7, 0.78), pt(1, 0), pt(0.74, -0.62), pt(0.44, -0.9), pt(0.2, -0.62)], 0.5);
    mood(0.2, 0.4, 0.2);
    spread(rib, 185, [pt(0.04, 0), pt(0.4, 0.2), pt(0.92, 0), pt(0.42, -0.14)], 0.4);
  }

  // inside of the bell first: the far petals, already in shade
  mood(0.28, 0.45, 0.4);
  gore('#f05745', 195, -0.66, 0.02, 0.12, 0.9, 0.05);
  gore('#ed4f3f', 195, 0.0, 0.7, 0.12, 0.92, 0.05);
  mood(0.36, 0.5, 0.3);
  gore('#d02c31', 175, -0.4, 0.44, 0.3, 0.78, 0.03);

  // the stamen shows under the hem
  mood(0.05, 0.15, 0.3);
  const foot = skirt(0.06, 0.62);
  spread('#fbe9b6', 245, [[foot[0] - 5, foot[1]], [foot[0] - 4, foot[1] + 120], [foot[0] + 10, foot[1] + 216], [foot[0] + 18, foot[1] + 214], [foot[0] + 8, foot[1] + 118], [foot[0] + 6, foot[1]]], 0.4);

  // near petals hang over it, three of them, overlapping like shingles
  const near = [[-1.06, -0.2, '#f8795f', '#f45e48'], [0.24, 1.1, '#f9846c', '#f35944'], [-0.5, 0.52, '#fb9884', '#f66952']];
  near.forEach(([s0, s1, light, warm], i) => {
    mood(0.26, 0.4, 0.5);
    gore(light, 210, s0, s1, 0.02, i === 2 ? 1.04 : 0.98, 0.09);
    mood(0.4, 0.6, 0.2);
    gore(warm, 175, lerp(s0, s1, 0.12), lerp(s0, s1, 0.8), 0.05, 0.94, 0.08);
    mood(0.38, 0.5, 0.3);
    gore('#e93f37', 175, lerp(s0, s1, i === 1 ? 0.62 : 0.06), lerp(s0, s1, i === 1 ? 0.94 : 0.36), 0.08, 0.84, 0.02);
    gore('#de3537', 165, lerp(s0, s1, 0.4), lerp(s0, s1, 0.66), 0.06, 0.44, 0.02);
  });
  // long veins from neck to hem
  mood(0.05, 0.15, 0.1);
  for (let s = -0.86; s <= 0.9; s += 0.16) {
    const far = random(0.7, 0.88);
    spread('#d12d2c', 150, [skirt(s, 0.16), skirt(s - 0.012, 0.5), skirt(s * 1.02, far), skirt(s + 0.014, 0.5)], 0.4);
  }
  // shoulder glow and calyx
  mood(0.34, 0.4, 0.3);
  gore('#c02e44', 190, -0.7, 0.7, 0, 0.2, 0.06);
  mood(0.18, 0.35, 0.45);
  for (const [dx, dy, tip, hex] of [[-30, 70, -46, '#6d944c'], [26, 74, 44, '#86a858'], [-2, 82, -4, '#56824a']]) {
    spread(hex, 215, [[NECK.x - 12, NECK.y - 26], [NECK.x + dx - 10, NECK.y + dy * 0.4], [NECK.x + tip, NECK.y + dy], [NECK.x + dx + 12, NECK.y + dy * 0.36], [NECK.x + 12, NECK.y - 26]], 0.5);
  }
  // pollen at the end of the drop
  mood(0.05, 0.2, 0.3);
  for (let i = 0; i < 22; i++) {
    const t = random(0.6, 1.02), px = foot[0] + 10 * t * t + random(-15, 15), py = foot[1] + 214 * t + random(-6, 6), r = random(2.8, 5);
    spread(i % 3 ? '#e79a1e' : '#c4541e', 245, [0, 60, 120, 180, 240, 300].map((g) => [px + r * cos(g), py + r * sin(g)]), 0.5);
  }
}
