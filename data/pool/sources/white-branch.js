// White with a red eye on a slanting branch: the flower is left of the middle, leaves answer on the right.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Cubic Bernstein weights, for branch, leaves and petals alike.
function bez(p, t) {
  const u = 1 - t, w = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return [0, 1].map((k) => w.reduce((sum, wi, i) => sum + wi * p[i][k], 0));
}

function between(edgeA, edgeB, n) {
  const points = [];
  for (let i = 0; i <= n; i++) points.push(bez(edgeA, i / n));
  for (let i = n; i >= 0; i--) points.push(bez(edgeB, i / n));
  return points;
}

function glaze({ hex, opacity = 190, bleed = 0.26, texture = 0.45, border = 0.4, curve = 0.5 }, points) {
  brush.fill(hex, opacity);
  brush.fillBleed(bleed);
  brush.fillTexture(texture, border);
  brush.beginShape(curve);
  for (const [x, y] of points) brush.vertex(x + random(-1.5, 1.5), y + random(-1.5, 1.5));
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f4ecd9');
  brush.noStroke();
  const [fx, fy] = [262, 290];

  // branch: brown-green, thinning towards the upper right
  glaze({ hex: '#8a7a56', opacity: 205, bleed: 0.14, border: 0.6 }, between([[60, 560], [200, 500], [330, 440], [548, 176]], [[70, 574], [214, 514], [340, 452], [552, 180]], 8));
  const twigs = [
    [[392, 388], 22, 150, '#6f9a5a', '#3a6b4c'], [[446, 322], -96, 140, '#89a85c', '#517f48'], [[470, 288], 26, 118, '#4f8060', '#265448'],
    [[300, 470], 62, 138, '#7fa25e', '#466f46'], [[180, 520], 24, 130, '#5b8a5e', '#2d5f50'], [[530, 204], -58, 96, '#9bb56a', '#64904f'],
  ];
  for (const [[x, y], a, l, hex, rib] of twigs) {
    const q = (u, v) => [x + l * (u * cos(a) - v * sin(a)), y + l * (u * sin(a) + v * cos(a))];
    glaze({ hex, opacity: 205, bleed: 0.22 }, between([q(0, 0), q(0.25, -0.36), q(0.75, -0.3), q(1, 0)], [q(0, 0), q(0.3, 0.34), q(0.72, 0.24), q(1, 0)], 5));
    glaze({ hex: rib, opacity: 185, bleed: 0.18, border: 0.2 }, between([q(0.02, 0), q(0.3, -0.08), q(0.7, -0.07), q(0.94, 0)], [q(0.02, 0), q(0.3, 0.06), q(0.7, 0.06), q(0.94, 0)], 4));
  }

  const petals = [[-104, 200], [-34, 214], [40, 190], [112, 188], [184, 206]];
  petals.forEach(([a, l], i) => {
    const q = (u, v) => [fx + l * (u * cos(a) - v * sin(a)), fy + l * (u * sin(a) + v * cos(a))];
    const left = [q(0, 0), q(0.3, -0.5), q(0.78, -0.86), q(1.04, -0.16)];
    const right = [q(0, 0), q(0.28, 0.5), q(0.8, 0.84), q(1.04, -0.16)];
    // thick white with a trace of lilac; its border dries into the contour
    glaze({ hex: ['#fbf8f4', '#f6f0f2', '#fdf9f2', '#f2eef4', '#faf4f2'][i], opacity: 245, bleed: 0.22, texture: 0.2, border: 0.7 }, between(left, right, 8));
    glaze({ hex: '#fdfaf6', opacity: 240, bleed: 0.3, texture: 0.3, border: 0.3 }, between(left.map((p, k) => (k === 2 ? q(0.74, -0.7) : p)), right, 7));
    // shadows: violet-grey on one flank, olive-grey reflected from the leaves, a warm blush
    glaze({ hex: '#b5aecb', opacity: 185, bleed: 0.36, texture: 0.5, border: 0.3 }, between([q(0.12, 0.04), q(0.36, 0.3), q(0.66, 0.52), q(0.92, 0.38)], [q(0.12, 0.06), q(0.3, 0.42), q(0.66, 0.72), q(0.92, 0.4)], 6));
    glaze({ hex: i % 2 ? '#bcc6ae' : '#e7c3b4', opacity: 175, bleed: 0.38, texture: 0.55, border: 0.2 }, between([q(0.2, -0.06), q(0.44, -0.2), q(0.66, -0.44), q(0.9, -0.34)], [q(0.2, -0.1), q(0.4, -0.36), q(0.7, -0.6), q(0.9, -0.36)], 6));
    for (const s of [-0.34, -0.18, -0.03, 0.12, 0.27]) {
      const far = random(0.72, 0.9);
      glaze({ hex: '#c98a9c', opacity: 155, bleed: 0.05, texture: 0.15, border: 0.1 }, between([q(0.3, s * 0.5), q(0.45, s * 0.8), q(far * 0.8, s * 1.3), q(far, s * 1.6)], [q(0.3, s * 0.5 + 0.008), q(0.45, s * 0.8 + 0.014), q(far * 0.8, s * 1.3 + 0.012), q(far, s * 1.6)], 4));
    }
  });
  petals.forEach(([a, l], i) => {
    const q = (u, v) => [fx + l * (u * cos(a) - v * sin(a)), fy + l * (u * sin(a) + v * cos(a))];
    const reach = random(0.44, 0.54);
    glaze({ hex: i % 2 ? '#cf2a48' : '#dc3a50', opacity: 215, bleed: 0.38, texture: 0.35, border: 0.4, curve: 0.6 }, between([q(0, 0), q(0.12, -0.2), q(0.3, -0.16), q(reach, -0.02)], [q(0, 0), q(0.1, 0.2), q(0.32, 0.15), q(reach, -0.02)], 5));
    glaze({ hex: '#860c2c', opacity: 215, bleed: 0.24, texture: 0.3, border: 0.4, curve: 0.6 }, between([q(0, 0), q(0.08, -0.12), q(0.16, -0.08), q(0.27, 0)], [q(0, 0), q(0.08, 0.12), q(0.16, 0.08), q(0.27, 0)], 4));
  });
  glaze({ hex: '#a0183a', opacity: 205, bleed: 0.2 }, [0, 60, 120, 180, 240, 300].map((g) => [fx + 12 * cos(g), fy + 12 * sin(g)]));

  // stamen towards the lower left, against the white
  const column = [[fx, fy], [fx - 30, fy + 40], [fx - 70, fy + 70], [fx - 118, fy + 76]];
  glaze({ hex: '#f3c49a', opacity: 245, bleed: 0.05, texture: 0.15, border: 0.4 }, between(column, column.map(([x, y]) => [x + 4, y + 9]), 6));
  for (let i = 0; i < 22; i++) {
    const [x, y] = bez(column, random(0.5, 1)), dx = random(-13, 13), dy = random(-15, 15), r = random(2.8, 4.8);
    glaze({ hex: i % 3 ? '#eaa722' : '#c8741e', opacity: 245, bleed: 0.05, texture: 0.2, border: 0.4 }, [0, 60, 120, 180, 240, 300].map((g) => [x + dx + r * cos(g), y + dy + r * sin(g)]));
  }
}
