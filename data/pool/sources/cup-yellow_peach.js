// The cup in peach.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const parts = [
  { hex: '#6d9152', a: 200, xy: [[294, 420], [288, 510], [292, 592], [308, 592], [306, 510], [308, 420]] },
  { hex: '#7fa35a', a: 195, xy: [[296, 560], [210, 520], [140, 440], [180, 520], [240, 566]] },
  { hex: '#f38452', a: 190, xy: [[300, 410], [220, 330], [196, 200], [240, 120], [290, 190], [308, 300]] },
  { hex: '#f1733e', a: 190, xy: [[300, 410], [300, 290], [330, 170], [372, 116], [408, 210], [384, 330]] },
  { hex: '#f6976c', a: 200, xy: [[300, 420], [236, 350], [226, 240], [300, 156], [374, 240], [364, 350]] },
  { hex: '#e0552e', a: 180, xy: [[300, 416], [272, 350], [276, 280], [300, 240], [324, 280], [328, 350]] },
  { hex: '#6a8c48', a: 205, xy: [[262, 400], [280, 430], [300, 440], [320, 430], [340, 400], [300, 412]] },
];

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e4');
  brush.noStroke();
  brush.fillBleed(0.22);
  brush.fillTexture(0.45, 0.4);
  for (const { hex, a, xy } of parts) {
    brush.fill(hex, a);
    brush.beginShape(0.5);
    for (const [x, y] of xy) brush.vertex(width - x, y);
    brush.endShape(true);
  }
}
