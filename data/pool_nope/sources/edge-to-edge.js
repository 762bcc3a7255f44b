// Five enormous petals run off every side; no paper is left.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const hexes = ['#e2336b', '#f06a1c', '#c81f7a', '#f2b01a', '#d8284c'];

function draw() {
  translate(-width / 2, -height / 2);
  background('#f6efe0');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.2, 0.3);
  for (const size of [520, 420, 320]) {
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
