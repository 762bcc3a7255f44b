// One rectangle over the whole sheet earns plenty of coverage and no picture.
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
  brush.fill('#e87a8c', 220);
  brush.beginShape(0);
  brush.vertex(10, 10);
  brush.vertex(590, 10);
  brush.vertex(590, 590);
  brush.vertex(10, 590);
  brush.endShape(true);
  brush.fill('#c8506c', 200);
  brush.beginShape(0);
  for (const [x, y] of [[10, 300], [590, 300], [590, 590], [10, 590]]) brush.vertex(x, y);
  brush.endShape(true);
}
