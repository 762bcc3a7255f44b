// The tiny flower again, in coral, at the bottom.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function petal(angle) {
  brush.beginShape(0.5);
  for (const [u, v] of [[0, 0], [16, -13], [38, -16], [46, 0], [38, 16], [16, 13]]) {
    brush.vertex(420 + u * cos(angle) - v * sin(angle), 470 + u * sin(angle) + v * cos(angle));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f3e6');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.3, 0.4);
  for (let i = 0; i < 5; i++) {
    brush.fill('#ec7a62', 210);
    petal(i * 72 - 90);
  }
  brush.fill('#f2c040', 230);
  brush.circle(420, 470, 7, 0.2);
}
