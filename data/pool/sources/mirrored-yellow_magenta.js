// The folded flower in magenta.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function both(hex, opacity, half) {
  for (const flip of [1, -1]) {
    brush.fill(hex, opacity);
    brush.beginShape(0.5);
    for (const [dx, y] of half) brush.vertex(300 + flip * dx, y);
    brush.endShape(true);
  }
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5e6');
  brush.noStroke();
  brush.fillBleed(0.22);
  brush.fillTexture(0.45, 0.35);

  both('#6c9552', 195, [[2, 460], [60, 440], [140, 450], [200, 500], [120, 520], [40, 500]]);
  both('#f558a9', 195, [[4, 280], [60, 150], [120, 90], [190, 120], [180, 210], [90, 270]]);
  both('#f246a1', 195, [[4, 290], [110, 260], [210, 270], [230, 340], [150, 380], [60, 340]]);
  both('#f670b5', 195, [[0, 300], [60, 350], [100, 430], [50, 470], [0, 440]]);
  brush.fillTexture(0.4, 0.3);
  both('#e2349d', 180, [[4, 284], [50, 210], [100, 160], [90, 230]]);
  both('#e2349d', 180, [[4, 292], [80, 290], [150, 310], [80, 326]]);
  brush.fill('#9c2886', 205);
  brush.circle(300, 288, 28, 0.3);
  both('#6b8c48', 200, [[0, 470], [7, 470], [7, 590], [0, 590]]);
}
