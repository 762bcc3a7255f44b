// The same glazes in apricot, the flower turned.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

class Petal {
  constructor(x, y, heading, length, breadth, curl) {
    Object.assign(this, { x, y, heading, length, breadth, curl });
  }

  // Map (along 0..1, across -1..1) to the page; the axis bends by `curl` degrees towards its tip.
  place(along, across) {
    const turn = this.heading + this.curl * along * along;
    const r = this.length * along, w = this.breadth * across;
    return [this.x + r * cos(turn) - w * sin(turn), this.y + r * sin(turn) + w * cos(turn)];
  }

  glaze(hex, opacity, size, shift) {
    const rim = [
      [0.02, 0.04], [0.2, 0.34], [0.45, 0.82], [0.68, 1.02], [0.86, 0.92], [0.97, 0.6], [0.94, 0.34], [1.02, 0.06],
      [0.95, -0.3], [0.98, -0.58], [0.84, -0.94], [0.64, -1], [0.42, -0.78], [0.2, -0.3],
    ];
    brush.fill(hex, opacity);
    brush.beginShape(0.5);
    for (const [u, v] of rim) {
      const [px, py] = this.place(u * size + random(-0.012, 0.012), v * size * (1 - 0.25 * (1 - size)) + shift);
      brush.vertex(px, py);
    }
    brush.endShape(true);
  }

  vein(across, reach, hex) {
    brush.fill(hex, 140);
    brush.beginShape(0.4);
    for (const u of [0.16, 0.35, 0.55, 0.75, 1]) {
      const [px, py] = this.place(u * reach, across * u * reach - 0.008);
      brush.vertex(px, py);
    }
    for (const u of [0.78, 0.55, 0.35]) {
      const [px, py] = this.place(u * reach, across * u * reach + 0.02);
      brush.vertex(px, py);
    }
    brush.endShape(true);
  }
}

function blade(x0, y0, x1, y1, belly, hex, opacity) {
  const nx = (y1 - y0) * belly, ny = (x0 - x1) * belly;
  brush.fill(hex, opacity);
  brush.beginShape(0.5);
  brush.vertex(x0, y0);
  for (const [t, k] of [[0.25, 0.75], [0.5, 1], [0.8, 0.55], [1, 0], [0.78, -0.5], [0.48, -0.9], [0.22, -0.6]]) {
    brush.vertex(lerp(x0, x1, t) + nx * k, lerp(y0, y1, t) + ny * k);
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5e6');
  brush.noStroke();
  const x = 290, y = 308;

  // foliage, blue-green in shade and olive in light
  brush.fillBleed(0.2);
  brush.fillTexture(0.45, 0.4);
  blade(418, 420, 548, 520, 0.26, '#5d8b62', 205);
  blade(170, 432, 62, 540, 0.26, '#8da650', 205);
  blade(300, 470, 326, 584, 0.22, '#6f9650', 205);
  blade(430, 430, 530, 508, 0.06, '#2f6458', 190);
  blade(162, 444, 82, 522, 0.06, '#55803e', 190);

  const petals = [
    new Petal(x, y, -76, 236, 112, -14), new Petal(x, y, -8, 226, 118, 12), new Petal(x, y, 62, 208, 110, -10),
    new Petal(x, y, 136, 214, 112, 10), new Petal(x, y, 210, 232, 116, -12),
  ];
  // four glazes, each waits for the last to dry: lemon, gold, amber, ochre shade on one side
  const coats = [['#f89e61', 190, 1, 0, 0.24, 0.4], ['#f68441', 175, 0.93, 0.05, 0.3, 0.55], ['#f27035', 165, 0.72, -0.06, 0.34, 0.5]];
  for (const [hex, opacity, size, shift, bleed, texture] of coats) {
    brush.fillBleed(bleed);
    brush.fillTexture(texture, 0.35);
    for (const petal of petals) petal.glaze(hex, opacity, size, shift);
  }
  brush.fillBleed(0.3);
  brush.fillTexture(0.5, 0.2);
  petals.forEach((petal, i) => i % 2 && petal.glaze('#e15d30', 150, 0.62, 0.3));

  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const petal of petals) for (const across of [-0.62, -0.34, -0.08, 0.2, 0.5]) petal.vein(across, random(0.62, 0.86), '#d45129');

  // throat: maroon soaking into the amber
  brush.fillBleed(0.36);
  brush.fillTexture(0.35, 0.35);
  for (const petal of petals) petal.glaze('#c4332d', 190, 0.4, 0.02);
  brush.fillBleed(0.2);
  for (const petal of petals) petal.glaze('#741b4f', 215, 0.25, 0);

  // the stamen rises towards the light
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.2);
  blade(x - 2, y + 6, x - 70, y - 124, 0.045, '#fbeab8', 240);
  for (let k = 0; k < 22; k++) {
    const t = 0.45 + 0.55 * random();
    const px = x - 70 * t + random(-15, 15), py = y - 124 * t + random(-8, 8), r = random(3, 5);
    brush.fill(k % 4 ? '#f0a81c' : '#c8641c', 240);
    brush.beginShape(0.5);
    for (let a = 0; a < 360; a += 60) brush.vertex(px + r * cos(a), py + r * sin(a));
    brush.endShape(true);
  }
}
