// A bent stem and still no flower.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f3e5');
  brush.noStroke();
  brush.fillBleed(0.15);
  brush.fillTexture(0.3, 0.4);
  brush.fill('#5f8a4c', 200);
  brush.beginShape(0.2);
  brush.vertex(192, 160);
  brush.vertex(292, 590);
  brush.vertex(310, 590);
  brush.vertex(206, 156);
  brush.endShape(true);
  let y = 430;
  while (y < 560) {
    brush.fill('#7fa35a', 190);
    brush.beginShape(0.2);
    brush.vertex(300, y);
    brush.vertex(360, y - 20);
    brush.vertex(380, y + 10);
    brush.endShape(true);
    y += 130;
  }
}
