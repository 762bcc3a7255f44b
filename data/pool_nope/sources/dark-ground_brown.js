// A brown ground, a flower of the same brown.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#3a2a1e');
  brush.noStroke();
  brush.fillBleed(0.25);
  brush.fillTexture(0.4, 0.4);
  const petals = [0, 72, 144, 216, 288];
  petals.forEach((a) => {
    brush.fill('#7a4a2a', 210);
    brush.beginShape(0.5);
    brush.vertex(300, 300);
    [[130, -28], [210, -16], [214, 16], [130, 28]].forEach(([r, off]) => {
      brush.vertex(300 + r * cos(a + off), 300 + r * sin(a + off));
    });
    brush.endShape(true);
  });
  brush.fill('#20140c', 220);
  brush.circle(300, 300, 60, 0.3);
}
