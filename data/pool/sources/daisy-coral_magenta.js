// Eight narrow magenta petals.
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
  const COUNT = 8;

  brush.fillBleed(0.2);
  brush.fillTexture(0.5, 0.3);
  for (let i = 0; i < COUNT; i++) {
    const turn = (360 / COUNT) * i;
    const c = cos(turn), s = sin(turn);
    brush.fill(i % 2 ? '#f078bb' : '#e85fad', 185);
    brush.beginShape(0.4);
    for (const [u, v] of [[30, 0], [80, -34], [160, -46], [205, -14], [212, 6], [190, 38], [120, 44], [60, 14]]) {
      brush.vertex(300 + u * c - v * s, 290 + u * s + v * c);
    }
    brush.endShape(true);
  }
  // one stripe down every petal
  for (let i = 0; i < COUNT; i++) {
    const turn = (360 / COUNT) * i;
    brush.fill('#c24597', 180);
    brush.beginShape(0.3);
    for (const [r, off] of [[34, 0], [90, -5], [140, 0], [90, 5]]) brush.vertex(300 + r * cos(turn + off), 290 + r * sin(turn + off));
    brush.endShape(true);
  }
  brush.fill('#e9b53a', 220);
  brush.circle(300, 290, 38, 0.2);
  brush.fill('#a82a55', 190);
  brush.circle(300, 290, 18, 0.4);
}
