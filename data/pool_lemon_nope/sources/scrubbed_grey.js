// The scrubbed lemon in greys.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function scrub(hex, turns) {
  brush.fill(hex, 235);
  brush.beginShape(0.7);
  for (let k = 0; k < turns; k++) brush.vertex(300 + random(-210, 210), 300 + random(-180, 180));
  brush.endShape(true);
}
function draw() {
  translate(-width / 2, -height / 2);
  background('#e9dfc8');
  brush.noStroke();
  brush.fillBleed(0.3);
  brush.fillTexture(0.2, 0.5);
  for (const hex of ['#6d6a5a', '#4a4652', '#55602c', '#6e4a2c', '#3f4a38', '#5d5a4c']) scrub(hex, 9);
}
