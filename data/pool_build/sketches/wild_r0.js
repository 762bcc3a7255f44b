async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#e4d6bc');
  brush.noStroke();
  brush.fillBleed(0.35);
  brush.fillTexture(0.1, 0.6);
  const coats = ['#7a2f3a', '#4f5a34', '#8a4a2e', '#3f4a5a', '#6a3a4a'];
  for (let pass = 0; pass < 3; pass++) {
    for (let i = 0; i < 5; i++) {
      brush.fill(coats[(i + pass) % 5], 240);
      brush.beginShape(0.8);
      for (let k = 0; k < 7; k++) {
        brush.vertex(300 + random(-150, 150) + 60 * cos(i * 72), 300 + random(-150, 150) + 60 * sin(i * 72));
      }
      brush.endShape(true);
    }
  }
}
