// Brown instead of grey, and no warmer.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const turnBy = 360 / 7;

function greyPetal(k, reach, hex) {
  const a = k * turnBy - 90;
  brush.fill(hex, 220);
  brush.beginShape(0.4);
  brush.vertex(300, 300);
  brush.vertex(300 + reach * 0.6 * cos(a - 24), 300 + reach * 0.6 * sin(a - 24));
  brush.vertex(300 + reach * cos(a), 300 + reach * sin(a));
  brush.vertex(300 + reach * 0.6 * cos(a + 24), 300 + reach * 0.6 * sin(a + 24));
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#e6e0d4');
  brush.noStroke();
  brush.fillBleed(0.1);
  brush.fillTexture(0.1, 0.6);
  for (let k = 0; k < 7; k++) greyPetal(k, 220, '#7a6a58');
  for (let k = 0; k < 7; k++) greyPetal(k + 0.5, 150, '#564a3c');
  brush.fill('#302820', 230);
  brush.circle(300, 300, 34, 0.2);
}
