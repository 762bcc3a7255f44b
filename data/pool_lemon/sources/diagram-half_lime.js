// The diagram as a lime.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f2e4');
  brush.noStroke();
  brush.fillBleed(0.1);
  brush.fillTexture(0.35, 0.4);
  brush.fill('#a9b84e', 215);
  brush.circle(300, 300, 190, 0.1);
  brush.fill('#fbf2c8', 240);
  brush.circle(300, 300, 168, 0.1);
  brush.fill('#d3d878', 200);
  for (let wedge = 0; wedge < 8; wedge++) {
    brush.beginShape(0);
    brush.vertex(300 + 20 * cos(wedge * 45), 300 + 20 * sin(wedge * 45));
    brush.vertex(300 + 150 * cos(wedge * 45 - 17), 300 + 150 * sin(wedge * 45 - 17));
    brush.vertex(300 + 150 * cos(wedge * 45 + 17), 300 + 150 * sin(wedge * 45 + 17));
    brush.endShape(true);
  }
}
