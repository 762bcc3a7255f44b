// Two touches by the edge and a lot of paper.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e6');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.4);
  const touches = [[96, 410, '#c8508c'], [150, 440, '#7c9a54']];
  for (const [x, y, hex] of touches) {
    brush.fill(hex, 190);
    brush.beginShape(0.5);
    brush.vertex(x, y - 34);
    brush.vertex(x + 22, y);
    brush.vertex(x, y + 34);
    brush.vertex(x - 22, y);
    brush.endShape(true);
  }
}
