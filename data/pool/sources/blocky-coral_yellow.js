// Broad blocks of yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const corners = [
  [[300, 290], [230, 200], [220, 96], [300, 70], [380, 96], [370, 200]],
  [[300, 290], [390, 210], [490, 190], [530, 260], [490, 330], [390, 330]],
  [[300, 290], [390, 340], [460, 430], [420, 500], [340, 480], [300, 390]],
  [[300, 290], [290, 390], [250, 480], [170, 490], [140, 420], [210, 340]],
  [[300, 290], [210, 330], [110, 330], [74, 260], [110, 190], [220, 210]],
];

function block(points, shrink) {
  brush.beginShape(0.2);
  points.forEach(([x, y]) => brush.vertex(lerp(300, x, shrink), lerp(290, y, shrink)));
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f2e4');
  brush.noStroke();
  brush.fillBleed(0.18);
  brush.fillTexture(0.35, 0.4);
  corners.forEach((points, i) => {
    brush.fill(i % 2 ? '#f2da7a' : '#eed06c', 190);
    block(points, 1);
  });
  brush.fill('#c89f48', 190);
  corners.forEach((points) => block(points, 0.34));
  brush.fill('#8c3028', 215);
  brush.circle(300, 290, 22, 0.2);
  brush.fill('#7a9c58', 195);
  for (const side of [-1, 1]) {
    brush.beginShape(0.3);
    brush.vertex(300 + side * 150, 480);
    brush.vertex(300 + side * 220, 470);
    brush.vertex(300 + side * 250, 530);
    brush.vertex(300 + side * 180, 530);
    brush.endShape(true);
  }
}
