// Twelve narrow yellow petals.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5e8');
  brush.noStroke();
  const COUNT = 12;

  brush.fillBleed(0.2);
  brush.fillTexture(0.5, 0.3);
  for (let i = 0; i < COUNT; i++) {
    const turn = (360 / COUNT) * i;
    const c = cos(turn), s = sin(turn);
    brush.fill(i % 2 ? '#f0d378' : '#e8c55f', 185);
    brush.beginShape(0.4);
    for (const [u, v] of [[30, 0], [80, -22], [160, -30], [205, -14], [212, 6], [190, 24], [120, 28], [60, 14]]) {
      brush.vertex(300 + u * c - v * s, 290 + u * s + v * c);
    }
    brush.endShape(true);
  }
  // one stripe down every petal
  for (let i = 0; i < COUNT; i++) {
    const turn = (360 / COUNT) * i;
    brush.fill('#c29845', 180);
    brush.beginShape(0.3);
    for (const [r, off] of [[34, 0], [90, -5], [140, 0], [90, 5]]) brush.vertex(300 + r * cos(turn + off), 290 + r * sin(turn + off));
    brush.endShape(true);
  }
  brush.fill('#9c4a2a', 220);
  brush.circle(300, 290, 38, 0.2);
  brush.fill('#6c2a20', 190);
  brush.circle(300, 290, 18, 0.4);
}
