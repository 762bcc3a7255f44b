// Two flat coats of yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const petalShape = [[0, 0], [60, -50], [130, -74], [196, -52], [214, 0], [196, 52], [130, 74], [60, 50]];

function coat(hex, scale) {
  brush.fill(hex, 200);
  let heading = 36;
  while (heading < 360) {
    brush.beginShape(0.5);
    petalShape.forEach(([u, v]) => {
      const x = u * scale, y = v * scale;
      brush.vertex(300 + x * cos(heading) - y * sin(heading), 280 + x * sin(heading) + y * cos(heading));
    });
    brush.endShape(true);
    heading += 72;
  }
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f2e6');
  brush.noStroke();
  brush.fillBleed(0.08);
  brush.fillTexture(0.12, 0.2);

  brush.fill('#6f9650', 200);
  for (const [tipX, tipY] of [[90, 520], [510, 520]]) {
    brush.beginShape(0.4);
    brush.vertex(300, 440);
    brush.vertex((300 + tipX) / 2, tipY - 76);
    brush.vertex(tipX, tipY);
    brush.vertex((300 + tipX) / 2, tipY + 4);
    brush.endShape(true);
  }
  coat('#f3cf52', 1);
  coat('#e39a34', 0.5);
  brush.fill('#8c2a28', 220);
  brush.circle(300, 280, 26, 0.1);
}
