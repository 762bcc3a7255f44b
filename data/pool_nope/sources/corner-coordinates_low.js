// Here (600, 600) was taken for the middle.
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
    brush.fill(i % 2 ? '#d8609c' : '#c8408a', 200);
    brush.beginShape(0.5);
    brush.vertex(600, 600);
    brush.vertex(600 + 120 * cos(a - 26), 600 + 120 * sin(a - 26));
    brush.vertex(600 + 210 * cos(a - 14), 600 + 210 * sin(a - 14));
    brush.vertex(600 + 214 * cos(a + 14), 600 + 214 * sin(a + 14));
    brush.vertex(600 + 120 * cos(a + 26), 600 + 120 * sin(a + 26));
    brush.endShape(true);
  }
  brush.fill('#f4c64a', 230);
  brush.circle(600, 600, 36, 0.3);
}
