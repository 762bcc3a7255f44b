async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function lobe(x, y, w, h, lean, hex, opacity) {
  brush.fill(hex, opacity);
  brush.beginShape(0.3);
  for (let a = 0; a < 360; a += 45) {
    const u = w * cos(a) * random(0.85, 1.1), v = h * sin(a) * random(0.85, 1.1);
    brush.vertex(x + u * cos(lean) - v * sin(lean), y + u * sin(lean) + v * cos(lean));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f6efe0');
  brush.noStroke();
  brush.fillBleed(0.1);
  brush.fillTexture(0.2, 0.2);
  for (let i = 0; i < 5; i++) {
    const a = i * 72 - 90;
    lobe(300 + 110 * cos(a), 300 + 110 * sin(a), 105, 62, a, '#e0644c', 235);
  }
  lobe(300, 300, 46, 46, 0, '#7a1f30', 235);
}
