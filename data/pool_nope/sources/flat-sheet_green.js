// The sheet painted green and left at that.
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
  brush.fillBleed(0.1);
  brush.fillTexture(0.1, 0.2);
  brush.fill('#8fb07a', 220);
  brush.beginShape(0);
  brush.vertex(10, 10);
  brush.vertex(590, 10);
  brush.vertex(590, 590);
  brush.vertex(10, 590);
  brush.endShape(true);
  brush.fill('#5f8a58', 200);
  brush.beginShape(0);
  for (const [x, y] of [[10, 420], [590, 380], [590, 590], [10, 590]]) brush.vertex(x, y);
  brush.endShape(true);
}
