// Painted as if (0, 0) were the middle of the sheet: three quarters of it are off the paper.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const petals = 5;

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf4e8');
  brush.noStroke();
  brush.fillBleed(0.25);
  brush.fillTexture(0.4, 0.4);
  for (let i = 0; i < petals; i++) {
    const a = (i * 360) / petals + 20;
    brush.fill(i % 2 ? '#f2937c' : '#ea7468', 200);
    brush.beginShape(0.5);
    brush.vertex(0, 0);
    brush.vertex(120 * cos(a - 26), 120 * sin(a - 26));
    brush.vertex(210 * cos(a - 14), 210 * sin(a - 14));
    brush.vertex(214 * cos(a + 14), 214 * sin(a + 14));
    brush.vertex(120 * cos(a + 26), 120 * sin(a + 26));
    brush.endShape(true);
  }
  brush.fill('#f4c64a', 230);
  brush.circle(0, 0, 36, 0.3);
}
