// One large lemon, wet in wet: no outline, the light side left to the paper.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// [colour, opacity, bleed, centre x, centre y, length, width]; each pass is smaller and farther from the light.
const PASSES = [
  ['#f9ea96', 185, 0.3, 300, 300, 206, 142],
  ['#f7dd5c', 180, 0.3, 312, 312, 182, 120],
  ['#f2c93a', 175, 0.28, 330, 326, 150, 92],
  ['#e8b22c', 165, 0.28, 348, 344, 112, 62],
  ['#c2ae3e', 160, 0.3, 352, 378, 104, 38],
  ['#94a052', 150, 0.3, 366, 396, 74, 20],
];
const LEAN = -22;

function pass(hex, opacity, bleed, x, y, long, wide) {
  brush.fill(hex, opacity);
  brush.fillBleed(bleed);
  brush.beginShape(0.6);
  let a = 0;
  while (a < 360) {
    const pull = abs(cos(a)) > 0.96 ? 1.16 : 1;
    const u = long * pull * cos(a), v = wide * sin(a) * random(0.94, 1.06);
    brush.vertex(x + u * cos(LEAN) - v * sin(LEAN), y + u * sin(LEAN) + v * cos(LEAN));
    a += 18;
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5e6');
  brush.noStroke();
  brush.fillTexture(0.5, 0.25);
  // shadow under it, in two greys that run together
  for (const [hex, dy, w] of [['#c3bfd0', 0, 190], ['#a9a6bd', 8, 120]]) {
    brush.fill(hex, 155);
    brush.fillBleed(0.32);
    brush.beginShape(0.6);
    for (const [k, v] of [[-1, 0], [-0.4, -16], [0.4, -18], [1, 0], [0.5, 20], [-0.5, 22]]) brush.vertex(336 + k * w, 470 + dy + v);
    brush.endShape(true);
  }
  for (const each of PASSES) pass(...each);
  // pores, darker on the shadow side
  brush.fillBleed(0.04);
  for (let i = 0; i < 26; i++) {
    const a = random(-20, 120), r = random(0.3, 0.85);
    brush.fill('#d39d28', 150);
    brush.circle(318 + 160 * r * cos(a - 22), 318 + 110 * r * sin(a), random(1.5, 3.2), 0.2);
  }
  // the green button where it hung
  brush.fillBleed(0.15);
  brush.fill('#7d8d4a', 205);
  brush.circle(102, 378, 13, 0.5);
  brush.fill('#55683c', 205);
  brush.circle(97, 381, 6, 0.4);
}
