// Poster paint in yellow and blue-green.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function blob(x, y, rx, ry) {
  brush.beginShape(0.8);
  brush.vertex(x - rx, y);
  brush.vertex(x, y - ry);
  brush.vertex(x + rx, y);
  brush.vertex(x, y + ry);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e6');
  brush.noStroke();
  brush.fillBleed(0);
  brush.fillTexture(0, 0);
  for (let coat = 0; coat < 3; coat++) {
    brush.fill('#0f6a5a', 255);
    blob(300, 500, 14, 90);
    brush.fill('#ffc400', 255);
    blob(300, 170, 110, 70);
    blob(180, 260, 70, 110);
    blob(420, 260, 70, 110);
    blob(228, 392, 88, 88);
    blob(372, 392, 88, 88);
    brush.fill('#d8401e', 255);
    blob(300, 286, 56, 56);
  }
}
