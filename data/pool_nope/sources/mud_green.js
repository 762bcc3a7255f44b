// Green mud this time, wider.
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
  const order = ['#2f4a32', '#5a4a2e', '#3a3f2a', '#6a2f4a', '#2a4a4a', '#4a4a1e'];
  for (let pass = 0; pass < 4; pass++) {
    order.forEach((hex, i) => {
      puddle(hex, 300 + 130 * cos(i * 60 + pass * 17), 300 + 90 * sin(i * 60 + pass * 17), 104 - pass * 8);
    });
  }
  puddle('#1f1a18', 300, 300, 60);
}
