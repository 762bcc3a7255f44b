// Radians again: magenta petals in a heap at the side.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function petalAt(x, y, angle) {
  brush.beginShape(0.5);
  for (const [u, v] of [[0, 0], [40, -36], [110, -44], [140, 0], [110, 44], [40, 36]]) {
    brush.vertex(x + u * cos(angle) - v * sin(angle), y + u * sin(angle) + v * cos(angle));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f2e4');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.4);
  for (let i = 0; i < 5; i++) {
    const angle = (i * TWO_PI) / 5;
    brush.fill(i % 2 ? '#d85a9c' : '#b8307c', 200);
    petalAt(330 + 24 * i, 80 + 110 * i + random(60), angle);
  }
  brush.fill('#6f9450', 200);
  petalAt(60, 560, 0.4);
  brush.fill('#f0c040', 230);
  brush.circle(520, 90, 34, 0.2);
}
