// A plain lemon: two coats and a leaf, correct and no more.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function oval(x, y, w, h) {
  brush.beginShape(0.5);
  for (let a = 0; a < 360; a += 30) brush.vertex(x + w * cos(a), y + h * sin(a));
  brush.endShape(true);
}
function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f3e4');
  brush.noStroke();
  brush.fillBleed(0.18);
  brush.fillTexture(0.4, 0.4);
  brush.fill('#f4d84e', 200);
  oval(300, 320, 180, 122);
  brush.fill('#edc23c', 185);
  oval(316, 334, 120, 78);
  brush.fill('#7a9c58', 200);
  brush.beginShape(0.5);
  for (const [x, y] of [[300, 204], [340, 150], [410, 132], [392, 184], [340, 212]]) brush.vertex(x, y);
  brush.endShape(true);
}
