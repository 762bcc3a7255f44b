async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f1e3');
  brush.noStroke();
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.1);
  brush.fill('#e2705c', 190);
  for (let i = 0; i < 5; i++) {
    brush.circle(230 + 48 * cos(i * 72), 350 + 48 * sin(i * 72), 34, 0.1);
  }
  brush.fill('#f2c14a', 220);
  brush.circle(230, 350, 20, 0.1);
}
