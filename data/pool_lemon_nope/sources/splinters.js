// Radians where degrees were wanted: the lemon is a knot of splinters.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f3e5');
  brush.noStroke();
  brush.fillBleed(0.05);
  brush.fill('#eac23a', 215);
  for (let n = 0; n < 3; n++) {
    brush.beginShape(0);
    for (let a = 0; a < 6.28; a += 0.4) {
      const r = 60 + 150 * ((n * 7 + a * 13) % 1);
      brush.vertex(300 + r * cos(a * 57.3 * 57.3), 300 + r * sin(a * 57.3 * 57.3));
    }
    brush.endShape(true);
  }
}
