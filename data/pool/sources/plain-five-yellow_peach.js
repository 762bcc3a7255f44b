// Plain again, in peach, upside down.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function petal(angle, length, width) {
  brush.beginShape(0.5);
  for (let i = 0; i < 10; i++) {
    const t = i * 36;
    const along = length * (0.5 - 0.5 * cos(t)), across = width * sin(t);
    brush.vertex(300 + along * cos(angle) - across * sin(angle), 270 + along * sin(angle) + across * cos(angle));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e6');
  brush.noStroke();

  // stem
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.4);
  brush.fill('#6b8f4e', 190);
  brush.beginShape(0.3);
  brush.vertex(294, 430);
  brush.vertex(290, 590);
  brush.vertex(306, 590);
  brush.vertex(306, 430);
  brush.endShape(true);

  // petals, twice
  brush.fillBleed(0.25);
  for (let i = 0; i < 5; i++) {
    brush.fill('#f4844a', 190);
    petal(90 + i * 72, 200, 76);
  }
  for (let i = 0; i < 5; i++) {
    brush.fill('#ee652e', 200);
    petal(90 + i * 72, 112, 40);
  }
  // centre
  brush.fill('#a82e32', 210);
  brush.circle(300, 270, 30, 0.3);
}
