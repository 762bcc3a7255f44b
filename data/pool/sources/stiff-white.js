// White with a red eye, set square on the page: neat grey petals, evenly spaced.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

let index = 0;

function paddle() {
  const a = -90 + 72 * index++;
  const p = (u, v) => brush.vertex(300 + u * cos(a) - v * sin(a), 260 + u * sin(a) + v * cos(a));
  brush.beginShape(0.4);
  p(18, -8);
  p(90, -40);
  p(170, -58);
  p(196, -30);
  p(196, 30);
  p(170, 58);
  p(90, 40);
  p(18, 8);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f3ecdc');
  brush.noStroke();
  brush.fillBleed(0.15);
  brush.fillTexture(0.3, 0.6);
  brush.fill('#7b9a62', 200);
  brush.beginShape(0.2);
  for (const [x, y] of [[292, 420], [292, 588], [306, 588], [306, 420]]) brush.vertex(x, y);
  brush.endShape(true);
  do {
    brush.fill(index % 2 ? '#b4b4cc' : '#c8bfd2', 220);
    paddle();
  } while (index < 5);
  brush.fill('#c82e48', 210);
  brush.circle(300, 260, 46, 0.3);
  brush.fill('#7a1028', 210);
  brush.circle(300, 260, 20, 0.3);
}
