// Two lemons side by side as faceted blocks; light and dark halves, hard edges.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const facets = [
  ['#f6e07a', [[76, 300], [140, 228], [218, 226], [276, 296], [176, 304]]],
  ['#e6b934', [[76, 300], [176, 304], [276, 296], [222, 378], [136, 380]]],
  ['#f3d85c', [[316, 314], [372, 240], [456, 236], [524, 310], [420, 318]]],
  ['#d9a930', [[316, 314], [420, 318], [524, 310], [462, 392], [378, 392]]],
  ['#bdbac8', [[110, 388], [240, 386], [470, 400], [430, 424], [160, 420]]],
  ['#6f9358', [[196, 226], [214, 168], [270, 150], [252, 198]]],
];
function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f4e8');
  brush.noStroke();
  brush.fillBleed(0.08);
  brush.fillTexture(0.4, 0.4);
  for (const [hex, corners] of facets) {
    brush.fill(hex, 205);
    brush.beginShape(0.05);
    for (const [x, y] of corners) brush.vertex(x, y);
    brush.endShape(true);
  }
}
