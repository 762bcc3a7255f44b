// Half a lemon, cut face to us: rind, pith, nine wet segments, a grey-violet shadow below.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const cx = 298, cy = 282, turn = 8;

function blob(radius, wobble, step) {
  brush.beginShape(0.55);
  for (let a = 0; a < 360; a += step) {
    const r = radius * (1 + wobble * (noise(radius, a / 40) - 0.5));
    brush.vertex(cx + r * 1.04 * cos(a), cy + r * 0.97 * sin(a));
  }
  brush.endShape(true);
}

function segment(a, half, inner, outer) {
  brush.beginShape(0.35);
  brush.vertex(cx + inner * cos(a), cy + inner * sin(a));
  for (const [off, k] of [[-0.55, 0.5], [-0.92, 0.86], [-0.6, 1], [0, 1.04], [0.6, 1], [0.92, 0.86], [0.55, 0.5]]) {
    const b = a + off * half, r = lerp(inner, outer, k) * random(0.97, 1.02);
    brush.vertex(cx + r * 1.03 * cos(b), cy + r * 0.97 * sin(b));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f5e8');
  brush.noStroke();
  brush.fillTexture(0.4, 0.3);

  // shadow on the table, cool, first and wettest
  brush.fillBleed(0.3);
  brush.fill('#b6b2c4', 165);
  brush.beginShape(0.6);
  for (const [x, y] of [[150, 452], [240, 482], [350, 492], [470, 462], [500, 434], [380, 452], [260, 448]]) brush.vertex(x, y);
  brush.endShape(true);

  brush.fillBleed(0.16);
  brush.fill('#f2cb36', 215);
  blob(206, 0.06, 12);
  brush.fill('#e3ab2a', 165);
  brush.fillBleed(0.24);
  brush.beginShape(0.5);
  for (let a = 10; a <= 150; a += 14) brush.vertex(cx + 208 * cos(a), cy + 202 * sin(a));
  for (let a = 150; a >= 10; a -= 14) brush.vertex(cx + 176 * cos(a), cy + 168 * sin(a));
  brush.endShape(true);
  brush.fillBleed(0.08);
  brush.fill('#fbf3cf', 245);
  blob(182, 0.05, 15);

  const tints = ['#f6dd5e', '#f3d348', '#f8e476'];
  for (let i = 0; i < 9; i++) {
    const a = turn + i * 40;
    brush.fillBleed(0.12);
    brush.fill(tints[i % 3], 200);
    segment(a, 20, 20, 160);
    brush.fillBleed(0.26);
    brush.fill(i % 2 ? '#ecbd32' : '#e6c94a', 165);
    segment(a + random(-3, 3), 14, 70, 150);
  }
  // pips and the white middle
  brush.fillBleed(0.05);
  for (const a of [48, 166, 288]) {
    brush.fill('#d9b988', 220);
    segment(a, 9, 44, 76);
  }
  brush.fill('#fdf8e0', 240);
  brush.circle(cx, cy, 17, 0.4);
  // a leaf behind the shoulder
  brush.fillBleed(0.18);
  for (const [hex, k] of [['#7fa562', 1], ['#4c7a52', 0.62]]) {
    brush.fill(hex, 185);
    brush.beginShape(0.5);
    for (const [x, y] of [[430, 152], [470, 96], [530, 74], [562, 84], [540, 130], [492, 166]]) {
      brush.vertex(496 + (x - 496) * k, 122 + (y - 122) * k);
    }
    brush.endShape(true);
  }
}
