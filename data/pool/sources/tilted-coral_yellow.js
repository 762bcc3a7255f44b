// The bowl tipped the other way, in yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const TILT = 44, SPIN = 20;

// A point of the bowl: `r` along the petal, `a` round the flower. Depth grows with the square of r.
function project(r, a, lift = 0) {
  const x = r * cos(a), y = r * sin(a), z = lift - 0.0011 * r * r;
  const yy = y * cos(TILT) - z * sin(TILT);
  return [302 + x * cos(SPIN) - yy * sin(SPIN), 262 + x * sin(SPIN) + yy * cos(SPIN)];
}

function fillPolygon(hex, opacity, curve, points) {
  brush.fill(hex, opacity);
  brush.beginShape(curve);
  for (const p of points) brush.vertex(...p);
  brush.endShape(true);
}

const wet = (bleed, texture, border) => {
  brush.fillBleed(bleed);
  brush.fillTexture(texture, border);
};

// The part of a petal between two sides (-1..1) and two radii, with an undulating rim.
function patch(axis, half, s0, s1, r0, r1, waves) {
  const rim = [], root = [];
  for (let i = 0; i <= 7; i++) {
    const s = lerp(s0, s1, i / 7), round_ = 1 - 0.22 * s * s;
    rim.push(project(r1 * round_ * (1 + 0.035 * sin(s * 420 + waves)), axis + s * half, 14 * sin(s * 300 + waves)));
    if (i % 3 === 0) root.unshift(project(r0, axis + s * half * 0.8));
  }
  return rim.concat(root);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e7');
  brush.noStroke();

  // stem seen under the bowl, and three leaves
  wet(0.14, 0.4, 0.4);
  fillPolygon('#64874b', 205, 0.4, [[318, 420], [330, 480], [326, 540], [312, 594], [326, 596], [342, 540], [346, 478], [334, 416]]);
  const leaves = [[330, 520, 24, 156, 46, '#6c9a58', '#3a6b4b'], [322, 552, 164, 168, 44, '#8da85a', '#4f7d45'], [338, 470, -12, 120, 30, '#4f8060', '#2b5b54']];
  for (const [x, y, a, len, w, hex, rib] of leaves) {
    const leafPoint = (u, v) => [x + len * u * cos(a) - w * v * sin(a + 30 * u), y + len * u * sin(a) + w * v * cos(a)];
    wet(0.24, 0.5, 0.35);
    fillPolygon(hex, 200, 0.5, [[0, 0], [0.2, -0.7], [0.35, -0.85], [0.42, -1], [0.62, -0.75], [0.8, -0.5], [1, 0], [0.82, 0.5], [0.6, 0.85], [0.4, 0.8], [0.2, 0.6]].map(([u, v]) => leafPoint(u, v)));
    wet(0.2, 0.4, 0.2);
    fillPolygon(rib, 185, 0.4, [[0.02, 0], [0.4, -0.2], [0.9, 0], [0.4, 0.22]].map(([u, v]) => leafPoint(u, v)));
  }

  // far petals before near ones
  const petals = [-126, -54, 18, 162, 90].map((axis, i) => ({ axis, waves: i * 77 + random(40), r: axis > 0 ? 236 : 246 }));
  for (const [i, { axis, waves, r }] of petals.entries()) {
    wet(0.26, 0.4, 0.5);
    fillPolygon(['#f8d345', '#f8cf3f', '#f9d950', '#f8d144', '#f9dc54'][i], 200, 0.5, patch(axis, 42, -1, 1, 6, r, waves));
    wet(0.38, 0.6, 0.2);
    fillPolygon(['#f9db53', '#f8c938', '#f8d143', '#f9dc55', '#f8d345'][i], 170, 0.5, patch(axis, 40, -0.8, 0.9, 16, r * 0.95, waves + 30));
    // one flank in shadow, one in rose
    wet(0.36, 0.5, 0.3);
    fillPolygon('#f0b136', 180, 0.5, patch(axis, 40, -0.95, -0.25, 20, r * 0.84, waves));
    fillPolygon('#f8c431', 165, 0.5, patch(axis, 40, 0.3, 0.72, 24, r * 0.76, waves));
  }
  wet(0.05, 0.15, 0.1);
  for (const { axis, r } of petals) {
    for (const s of [-0.7, -0.4, -0.12, 0.18, 0.48, 0.76]) {
      const out = r * random(0.62, 0.84), a = axis + s * 38;
      fillPolygon('#d17110', 145, 0.4, [project(44, a), project(out * 0.6, a - 0.9), project(out, a + s * 4), project(out * 0.6, a + 0.9)]);
    }
  }
  // throat: the bowl's dark floor
  wet(0.34, 0.35, 0.35);
  for (const { axis, waves } of petals) fillPolygon('#ba5b0e', 205, 0.5, patch(axis, 24, -1, 1, 0, random(92, 112), waves));
  wet(0.24, 0.3, 0.4);
  for (const { axis, waves } of petals) fillPolygon('#631925', 210, 0.5, patch(axis, 20, -1, 1, 0, 56, waves));

  // the stamen stands up out of the bowl: straight up the page, whatever the tilt
  wet(0.05, 0.15, 0.3);
  const [bx, by] = project(0, 0);
  fillPolygon('#fde6bc', 245, 0.4, [[bx - 7, by + 4], [bx + 6, by - 80], [bx + 30, by - 152], [bx + 37, by - 149], [bx + 17, by - 78], [bx + 8, by + 6]]);
  for (let i = 0; i < 24; i++) {
    const t = random(0.42, 1), x = bx + 34 * t * t + random(-16, 16), y = by - 152 * t + random(-6, 6), r = random(2.8, 5.2);
    fillPolygon(i % 3 ? '#f2b22a' : '#d9851c', 240, 0.5, [0, 60, 120, 180, 240, 300].map((g) => [x + r * cos(g), y + r * sin(g)]));
  }
  for (const [dx, dy] of [[26, -166], [38, -168], [46, -158], [32, -160]]) fillPolygon('#d57510', 240, 0.5, [0, 72, 144, 216, 288].map((g) => [bx + dx + 4.4 * cos(g), by + dy + 4.4 * sin(g)]));
}
