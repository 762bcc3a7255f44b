// Seven rows of the same petal.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function leafShape(cx, cy) {
  brush.beginShape(0.5);
  brush.vertex(cx - 34, cy + 30);
  brush.vertex(cx - 12, cy - 34);
  brush.vertex(cx + 34, cy - 30);
  brush.vertex(cx + 12, cy + 34);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e8');
  brush.noStroke();
  brush.fillBleed(0.06);
  brush.fillTexture(0.1, 0.3);
  for (let row = 0; row < 7; row++) {
    for (let col = 0; col < 7; col++) {
      brush.fill((row + col) % 2 ? '#6f9a5a' : '#e07a6a', 230);
      leafShape(72 + col * 76, 72 + row * 76);
    }
  }
}
