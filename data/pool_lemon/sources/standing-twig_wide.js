// The standing lemon, stouter.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function poly(hex, ...xy) {
  brush.fill(hex, 200);
  brush.beginShape(0.4);
  while (xy.length) brush.vertex(xy.shift(), xy.shift());
  brush.endShape(true);
}
function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f3e5');
  brush.noStroke();
  brush.fillBleed(0.16);
  brush.fillTexture(0.4, 0.35);
  poly('#87764e', 292, 40, 304, 40, 306, 170, 294, 170);
  for (let i = 0; i < 4; i++) {
    const y = 62 + 26 * i, s = i % 2 ? 1 : -1;
    poly('#7da05c', 300, y, 300 + s * 40, y - 22, 300 + s * 92, y - 10, 300 + s * 48, y + 14);
  }
  poly('#f4da56', 300, 166, 366, 212, 420, 296, 408, 388, 340, 456, 300, 492, 260, 456, 192, 388, 180, 296, 234, 212);
  poly('#eac03c', 320, 240, 356, 300, 352, 376, 312, 430, 302, 330);
}
