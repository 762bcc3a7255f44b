async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const CX = 300, CY = 290;

function petal(angle, reach, half, hex, opacity) {
  brush.fill(hex, opacity);
  brush.beginShape(0.5);
  for (const [turn, share] of [[0, 0.05], [-0.7, 0.45], [-1, 0.8], [-0.45, 1], [0, 0.95], [0.45, 1], [1, 0.8], [0.7, 0.45]]) {
    const a = angle + turn * half;
    brush.vertex(CX + reach * share * cos(a), CY + reach * share * sin(a));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f1e3');
  brush.noStroke();
  brush.fillTexture(0.35, 0.3);
  brush.fillBleed(0.2);
  for (let i = 0; i < 5; i++) petal(i * 72 - 90, 215, 34, '#f0917a', 200);
  for (let i = 0; i < 5; i++) petal(i * 72 - 88, 140, 26, '#df5f50', 185);
  brush.fill('#8c2436', 220);
  brush.circle(CX, CY, 34, 0.3);
  brush.fill('#f2c14a', 230);
  brush.circle(CX + 20, CY - 24, 13, 0.3);
}
