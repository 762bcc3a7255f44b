// A lemon the size of a pip, in a corner.
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
  brush.fillBleed(0.15);
  brush.fill('#f2d24a', 200);
  brush.circle(92, 506, 26, 0.3);
  brush.fill('#7a9c58', 190);
  brush.circle(112, 480, 9, 0.3);
}
