// Another outline tied in a knot, yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f2e6');
  brush.noStroke();
  brush.fillBleed(0.12);
  brush.fillTexture(0.3, 0.8);
  for (const [hex, reach] of [['#f0b82a', 250], ['#c8641e', 190]]) {
    brush.fill(hex, 230);
    brush.beginShape(0.1);
    for (let i = 0; i < 17; i++) {
      const a = i * 137, r = reach * (i % 3 === 0 ? 1 : 0.55);
      brush.vertex(300 + r * cos(a) + random(-10, 10), 300 + r * sin(a) + random(-10, 10));
    }
    brush.endShape(true);
  }
  brush.fill('#e8b020', 240);
  brush.circle(300, 300, 20, 0.8);
}
