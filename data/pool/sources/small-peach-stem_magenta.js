// The same small flower in magenta.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function outline(points) {
  brush.beginShape(0.5);
  for (let i = 0; i < points.length; i += 2) brush.vertex(points[i], points[i + 1]);
  brush.endShape(true);
}

function flower(x, y, size) {
  const hexes = ['#f58ac0', '#f278b7', '#f698c7', '#f06fb4', '#f484be'];
  hexes.forEach((hex, i) => {
    const a = i * 72 - 90;
    const dx = cos(a), dy = sin(a);
    brush.fill(hex, 195);
    outline([
      x, y,
      x + size * (0.5 * dx - 0.34 * dy), y + size * (0.5 * dy + 0.34 * dx),
      x + size * (0.94 * dx - 0.26 * dy), y + size * (0.94 * dy + 0.26 * dx),
      x + size * (0.94 * dx + 0.26 * dy), y + size * (0.94 * dy - 0.26 * dx),
      x + size * (0.5 * dx + 0.34 * dy), y + size * (0.5 * dy - 0.34 * dx),
    ]);
  });
  brush.fill('#cc449e', 200);
  brush.circle(x, y, size * 0.24, 0.4);
  brush.fill('#f0bd48', 230);
  brush.circle(x + 8, y - 8, size * 0.09, 0.3);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f3e5');
  brush.noStroke();
  brush.fillBleed(0.22);
  brush.fillTexture(0.4, 0.4);
  brush.fill('#6a8f52', 195);
  outline([294, 300, 292, 450, 294, 590, 308, 590, 308, 450, 306, 300]);
  brush.fill('#7fa45c', 195);
  outline([296, 500, 240, 440, 160, 430, 190, 480, 250, 506]);
  outline([306, 470, 360, 410, 440, 400, 410, 450, 350, 476]);
  brush.fillBleed(0.25);
  flower(300, 226, 168);
}
