// One pigment and one accent: a white hibiscus in washes of indigo, only its eye is red.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Indigo diluted: strength 0 is nearly water, 1 is straight from the tube.
function indigo(strength) {
  const tube = [38, 50, 92], water = [222, 226, 234];
  return '#' + tube.map((c, i) => floor(lerp(water[i], c, strength)).toString(16).padStart(2, '0')).join('');
}

function brushOn(strength, opacity, points, curve = 0.5) {
  brush.fill(typeof strength === 'number' ? indigo(strength) : strength, opacity);
  brush.beginShape(curve);
  for (const p of points) brush.vertex(p.x, p.y);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f2e6');
  brush.noStroke();

  const c = createVector(298, 276);
  const ray = (a, r) => p5.Vector.fromAngle(radians(a), r).add(c);

  // leaves and stem in three strengths of the same blue
  brush.fillBleed(0.22);
  brush.fillTexture(0.5, 0.4);
  const stem = [[304, 420], [312, 500], [300, 592], [314, 593], [327, 500], [318, 420]].map(([x, y]) => createVector(x, y));
  brushOn(0.6, 200, stem, 0.4);
  for (const [x, y, a, l, s] of [[318, 510, -22, 168, 0.55], [308, 540, 200, 170, 0.72], [320, 470, 14, 120, 0.38]]) {
    const node = (u, v) => createVector(x + l * (u * cos(a) - v * sin(a)), y + l * (u * sin(a) + v * cos(a)));
    brushOn(s, 200, [node(0, 0), node(0.2, -0.14), node(0.46, -0.22), node(0.76, -0.14), node(1, 0.02), node(0.72, 0.13), node(0.42, 0.18), node(0.16, 0.1)]);
    brushOn(min(1, s + 0.3), 180, [node(0.04, 0), node(0.4, -0.05), node(0.9, 0.02), node(0.4, 0.05)], 0.4);
  }

  const facing = [-98, -28, 46, 118, 190];
  facing.forEach((a, i) => {
    const reach = 212 + 10 * cos(i * 130), spread = 39;
    const rim = [];
    for (let k = 0; k <= 8; k++) {
      const s = map(k, 0, 8, -1, 1);
      rim.push(ray(a + s * spread, reach * (1 - 0.13 * s * s) + (k % 2 ? 6 : -6) + random(-4, 4)));
    }
    // almost clear water first: only its edge will show when it dries
    brush.fillBleed(0.2);
    brush.fillTexture(0.3, 0.9);
    brushOn(0.06 + 0.03 * (i % 3), 225, [ray(a, 4), ray(a - 32, reach * 0.35), ray(a - 40, reach * 0.68), ...rim, ray(a + 40, reach * 0.66), ray(a + 31, reach * 0.33)]);
    // the shadow under the neighbour, graded in two coats
    brush.fillBleed(0.36);
    brush.fillTexture(0.5, 0.3);
    brushOn(0.34, 185, [ray(a + 12, 20), ray(a + 12, reach * 0.5), ray(a + 22, reach * 0.9), ray(a + 37, reach * 0.76), ray(a + 34, reach * 0.42)]);
    brushOn(0.55, 170, [ray(a + 20, 20), ray(a + 24, reach * 0.45), ray(a + 33, reach * 0.7), ray(a + 37, reach * 0.55), ray(a + 33, reach * 0.3)]);
    // a ripple near the rim, a hollow along the middle
    brushOn(0.26, 175, [ray(a - 26, reach * 0.84), ray(a - 14, reach * 0.74), ray(a - 2, reach * 0.86), ray(a - 12, reach * 0.93)]);
    brushOn(0.2, 175, [ray(a - 4, 40), ray(a - 11, reach * 0.5), ray(a - 5, reach * 0.76), ray(a + 3, reach * 0.5)]);
  });
  // veins
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const a of facing) {
    for (let s = -27; s <= 27; s += 9) {
      const far = random(130, 180);
      brushOn(0.5, 145, [ray(a + s * 0.8, 62), ray(a + s - 0.5, far * 0.65), ray(a + s * 1.12, far), ray(a + s + 0.6, far * 0.65)], 0.3);
    }
  }
  // the accent: vermilion, then crimson, let loose in the wet
  brush.fillTexture(0.35, 0.35);
  brush.fillBleed(0.4);
  facing.forEach((a, i) => brushOn(i % 2 ? '#e0352f' : '#d42a3a', 215, [ray(a, 6), ray(a - 22, 40), ray(a - 12, 74), ray(a + random(-4, 4), random(88, 108)), ray(a + 10, 70), ray(a + 22, 38)], 0.6));
  brush.fillBleed(0.24);
  for (const a of facing) brushOn('#8c0f2a', 215, [ray(a, 4), ray(a - 20, 24), ray(a, 50), ray(a + 20, 24)], 0.6);

  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.3);
  brushOn('#f6dfc0', 245, [ray(200, 7), ray(-60, 70), ray(-56, 138), ray(-53, 138), ray(-50, 70), ray(20, 7)], 0.4);
  for (let i = 0; i < 20; i++) {
    const spot = ray(-55 + random(-8, 8), random(60, 146)), r = random(2.8, 4.8);
    brushOn(i % 3 ? '#d42a3a' : indigo(0.9), 240, [0, 60, 120, 180, 240, 300].map((g) => createVector(spot.x + r * cos(g), spot.y + r * sin(g))));
  }
}
