// Too many complementary coats: everything turned to brown water.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function puddle(hex, x, y, r) {
  brush.fill(hex, 235);
  brush.beginShape(0.6);
  for (let k = 0; k < 9; k++) {
    const d = r * random(0.8, 1.2);
    brush.vertex(x + d * cos(k * 40), y + d * sin(k * 40));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#efe6d2');
  brush.noStroke();
  brush.fillBleed(0.35);
  brush.fillTexture(0.2, 0.6);
  const order = ['#6b4a2e', '#3f5a38', '#7a2f3a', '#4a3a2a', '#5a4a1e', '#2f3a3a'];
  for (let pass = 0; pass < 4; pass++) {
    order.forEach((hex, i) => {
      puddle(hex, 300 + 90 * cos(i * 60 + pass * 17), 300 + 90 * sin(i * 60 + pass * 17), 110 - pass * 12);
    });
  }
  puddle('#1f1a18', 300, 300, 60);
}
