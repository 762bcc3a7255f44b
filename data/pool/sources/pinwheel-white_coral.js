// The pinwheel in coral.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function blade(turn) {
  const at = (r, a) => brush.vertex(300 + r * cos(turn + a), 300 + r * sin(turn + a));
  brush.beginShape(0.3);
  at(0, 0);
  at(110, -20);
  at(215, -4);
  at(190, 34);
  at(120, 46);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f2e4');
  brush.noStroke();
  brush.fillTexture(0.4, 0.6);
  brush.fillBleed(0.2);

  // green square of leaves behind
  for (let turn = 36; turn < 360; turn += 72) {
    brush.fill('#8cab74', 180);
    brush.beginShape(0.4);
    for (const [r, a] of [[120, -10], [240, -6], [262, 6], [230, 14], [120, 12]]) brush.vertex(300 + r * cos(turn + a), 300 + r * sin(turn + a));
    brush.endShape(true);
  }
  for (let turn = 0; turn < 360; turn += 72) {
    brush.fill(turn % 144 ? '#f3957c' : '#ee7a6a', 195);
    blade(turn);
  }
  brush.fill('#b02a48', 200);
  for (let turn = 0; turn < 360; turn += 72) {
    brush.beginShape(0.2);
    for (const [r, a] of [[8, 0], [62, -14], [84, 8], [50, 34]]) brush.vertex(300 + r * cos(turn + a), 300 + r * sin(turn + a));
    brush.endShape(true);
  }
  brush.fill('#f0c95a', 230);
  brush.circle(300, 300, 18, 0.2);
}
