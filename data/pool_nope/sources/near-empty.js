// Three timid touches and a lot of paper.
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
  const touches = [[276, 244, '#e88870'], [326, 260, '#de6a70'], [300, 312, '#6f9a54']];
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
