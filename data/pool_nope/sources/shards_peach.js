// Splinters in peach and brown.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function shard(ax, ay, bx, by, cx, cy) {
  brush.beginShape(0);
  brush.vertex(ax, ay);
  brush.vertex(bx, by);
  brush.vertex(cx, cy);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f1e3');
  brush.noStroke();
  brush.fillBleed(0.01);
  brush.fillTexture(0.05, 1);
  for (let i = 0; i < 18; i++) {
    const a = i * 20 + random(-8, 8), r = random(90, 270);
    brush.fill(['#f0805a', '#b85a2a', '#f6b890'][i % 3], 240);
    shard(300, 300, 300 + r * cos(a), 300 + r * sin(a), 300 + r * 0.8 * cos(a + 24), 300 + r * 0.8 * sin(a + 24));
  }
  brush.fill('#103a20', 250);
  shard(280, 300, 320, 300, 300, 590);
}
