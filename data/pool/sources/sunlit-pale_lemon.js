// Noon light on a yellow hibiscus.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#fdf8ec');
  brush.noStroke();

  let ox = 0, oy = 0, turn = 0;
  const moveTo = (x, y, a) => { ox = x; oy = y; turn = a; };
  // paint in the petal's own frame: u runs outward, v across
  const paint = (hex, opacity, curve, uv) => {
    brush.fill(hex, opacity);
    brush.beginShape(curve);
    uv.forEach(([u, v]) => brush.vertex(ox + u * cos(turn) - v * sin(turn), oy + u * sin(turn) + v * cos(turn)));
    brush.endShape(true);
  };
  const soft = (bleed, texture, border) => { brush.fillBleed(bleed); brush.fillTexture(texture, border); };

  // sunny leaves, yellow-green with a cool half
  for (const [x, y, a, k] of [[156, 436, 142, 1], [424, 452, 40, 1.06], [108, 200, 200, 0.75]]) {
    moveTo(x, y, a);
    soft(0.26, 0.5, 0.3);
    paint('#b9cc7a', 190, 0.5, [[-16, 0], [20 * k, -24 * k], [66 * k, -34 * k], [104 * k, -16 * k], [128 * k, 4], [100 * k, 20 * k], [60 * k, 32 * k], [18 * k, 20 * k]]);
    soft(0.3, 0.45, 0.2);
    paint('#7fae78', 180, 0.5, [[-6, 2], [30 * k, 4 * k], [74 * k, 4 * k], [116 * k, 4], [94 * k, 16 * k], [56 * k, 26 * k], [18 * k, 16 * k]]);
  }

  const petals = [
    { a: -110, k: 1.02 }, { a: -42, k: 1.06 }, { a: 30, k: 1 }, { a: 104, k: 0.94 }, { a: 178, k: 1.02 },
  ];
  petals.forEach(({ a, k }, i) => {
    moveTo(300, 290, a);
    const j = () => random(-7, 7);
    soft(0.24, 0.35, 0.5);
    paint(['#faef79', '#faec73', '#faf07d', '#faed76', '#faf07e'][i], 225, 0.5, [
      [4, 0], [60 * k, -46], [118 * k, -92 + j()], [170 * k, -98 + j()], [206 * k, -68 + j()], [204 * k, -30], [220 * k, 4 + j()],
      [206 * k, 40], [202 * k, 76 + j()], [164 * k, 100 + j()], [112 * k, 90 + j()], [56 * k, 42],
    ]);
    // warm reflected light runs up the middle
    soft(0.4, 0.6, 0.1);
    paint('#fbc98a', 170, 0.6, [[30, 0], [90 * k, -30], [150 * k, -44 + j()], [186 * k, -10 + j()], [150 * k, 34 + j()], [86 * k, 22]]);
    // a rose shadow on the left of each petal, and a thin one under its rim
    soft(0.34, 0.5, 0.3);
    paint('#f9df59', 185, 0.6, [[26, -10], [78 * k, -52], [132 * k, -88 + j()], [170 * k, -82 + j()], [128 * k, -58], [80 * k, -30]]);
    paint('#f9e361', 165, 0.6, [[160 * k, 84], [196 * k, 66], [204 * k, 34 + j()], [186 * k, 40], [164 * k, 62]]);
  });

  // throat in three breaths of rose
  for (const [hex, reach, half, opacity] of [['#f9d950', 104, 26, 175], ['#f0b237', 76, 17, 195], ['#bc5c0e', 46, 10, 210]]) {
    soft(0.36, 0.4, 0.3);
    petals.forEach(({ a }) => {
      moveTo(300, 290, a + random(-6, 6));
      paint(hex, opacity, 0.6, [[4, 0], [reach * 0.4, -half], [reach * 0.8, -half * 0.6], [reach + random(-8, 12), 0], [reach * 0.75, half * 0.7], [reach * 0.35, half]]);
    });
  }
  // barely there veins
  soft(0.05, 0.2, 0.1);
  petals.forEach(({ a }) => {
    for (const s of [-24, -12, 0, 11, 22]) {
      moveTo(300, 290, a + s);
      paint('#f9d950', 150, 0.3, [[70, -0.5], [110, -1.3], [random(150, 186), s * 0.12], [110, 1.4]]);
    }
  });

  // stamen with a shadow of its own
  moveTo(300, 290, -8);
  soft(0.2, 0.4, 0.2);
  paint('#f9da51', 165, 0.4, [[10, -14], [70, -20], [120, -22], [122, -15], [70, -10]]);
  soft(0.05, 0.15, 0.3);
  paint('#fdeec4', 240, 0.4, [[0, -6], [60, -4], [128, -3], [130, 3], [60, 5], [0, 7]]);
  for (let i = 0; i < 18; i++) {
    const u = random(66, 134), v = random(-17, 17), r = random(3, 5.2);
    paint(i % 3 ? '#f5c044' : '#eaa02a', 240, 0.5, [0, 60, 120, 180, 240, 300].map((g) => [u + r * cos(g), v + r * sin(g)]));
  }
  for (const v of [-12, -4, 5, 13]) paint('#ee9f22', 235, 0.5, [0, 72, 144, 216, 288].map((g) => [144 + 4 * cos(g), v + 4 * sin(g)]));
}
