// Dots everywhere, a flower nowhere.
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
  const palette = ['#e8416f', '#f2a522', '#3f8f5a', '#b03a9c', '#f07a5a'];
  for (let i = 0; i < 70; i++) {
    brush.fill(palette[i % palette.length], 240);
    brush.circle(random(30, 570), random(30, 570), random(8, 26), 0.1);
  }
}
