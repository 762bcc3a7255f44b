// A tighter scribble, all pink.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f3e6');
  brush.noStroke();
  brush.fillBleed(0.05);
  brush.fillTexture(0.1, 0.5);
  let x = 300, y = 300;
  for (let i = 0; i < 150; i++) {
    const nx = constrain(x + random(-120, 120), 60, 540), ny = constrain(y + random(-120, 120), 60, 540);
    brush.fill(random(['#e64980', '#c2255c', '#f783ac']), 230);
    brush.beginShape(0.2);
    brush.vertex(x, y);
    brush.vertex((x + nx) / 2 + 4, (y + ny) / 2 - 3);
    brush.vertex(nx, ny);
    brush.vertex((x + nx) / 2 - 3, (y + ny) / 2 + 4);
    brush.endShape(true);
    x = nx;
    y = ny;
  }
}
