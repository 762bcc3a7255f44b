// One yellow circle, off the middle.
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
  brush.fillTexture(0.2, 0.3);
  brush.fill('#f2b930', 230);
  brush.circle(250, 330, 140, 0.1);
}
