// Yellow drowned in water.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function ghost(angle) {
  brush.beginShape(0.5);
  for (let t = 0; t < 360; t += 36) {
    const u = 100 - 100 * cos(t), v = 62 * sin(t);
    brush.vertex(300 + u * cos(angle) - v * sin(angle), 290 + u * sin(angle) + v * cos(angle));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5ea');
  brush.noStroke();
  brush.fillBleed(0.3);
  brush.fillTexture(0.6, 0.3);
  for (let i = 0; i < 5; i++) {
    brush.fill('#f4e6a8', 170);
    ghost(i * 72 + 18);
  }
  brush.fillTexture(0.4, 0.2);
  brush.fill('#e0c070', 170);
  brush.circle(300, 290, 36, 0.3);
}
