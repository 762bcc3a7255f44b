// Fewer, larger dots, mostly green.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5e8');
  brush.noStroke();
  brush.fillBleed(0.05);
  brush.fillTexture(0.1, 0.4);
  const palette = ['#3f8f5a', '#8fb04a', '#e8416f', '#5aa08a'];
  for (let i = 0; i < 40; i++) {
    brush.fill(palette[i % palette.length], 240);
    brush.circle(random(30, 570), random(30, 570), random(16, 44), 0.1);
  }
}
