// One circle, called a flower.
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
  brush.fill('#e5536f', 230);
  brush.circle(300, 300, 190, 0.1);
}
