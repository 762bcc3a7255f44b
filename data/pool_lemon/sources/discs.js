// A lemon put together from discs: a big one, two small ones for the tips, one for the shade.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f4e6');
  brush.noStroke();
  brush.fillTexture(0.5, 0.3);
  const discs = [[300, 310, 138, '#f5dc58', 0.2], [232, 306, 104, '#f5dc58', 0.2], [368, 314, 104, '#f3d248', 0.2], [150, 300, 34, '#eec840', 0.15], [452, 322, 34, '#e8bc38', 0.15], [330, 352, 84, '#e4b634', 0.3]];
  for (const disc of discs) {
    brush.fillBleed(disc[4]);
    brush.fill(disc[3], 190);
    brush.circle(disc[0], disc[1], disc[2], 0.2);
  }
  brush.fill('#7f9f5c', 195);
  brush.circle(250, 150, 30, 0.4);
  brush.circle(292, 132, 26, 0.4);
}
