// Peach from edge to edge.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const hexes = ['#f08a5a', '#e86a4a', '#f4a06a', '#d8584a', '#f2b080'];

function draw() {
  translate(-width / 2, -height / 2);
  background('#f6efe0');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.2, 0.3);
  for (const size of [540, 470, 400]) {
    hexes.forEach((hex, i) => {
      brush.fill(hex, 240);
      brush.beginShape(0.5);
      for (const [r, a] of [[0, 0], [0.6, -44], [1, -30], [1.1, 0], [1, 30], [0.6, 44]]) {
        brush.vertex(300 + size * r * cos(i * 72 + a), 300 + size * r * sin(i * 72 + a));
      }
      brush.endShape(true);
    });
  }
  brush.fill('#5a0f2a', 240);
  brush.circle(300, 300, 110, 0.3);
}
