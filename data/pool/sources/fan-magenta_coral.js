// The fan in coral, five ribs.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f3e7');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.5, 0.4);

  const foot = { x: 300, y: 440 };
  const ribs = [-158, -124, -90, -56, -22];
  const hues = ['#cb6252', '#da7462', '#c04a3c', '#e28878', '#c04a3c', '#da7462', '#cb6252'];
  for (let n = 0; n < ribs.length; n++) {
    const direction = ribs[n];
    const ray = (dist, off) => brush.vertex(foot.x + dist * cos(direction + off), foot.y + dist * sin(direction + off));
    brush.fill(hues[n], 180);
    brush.beginShape(0.4);
    ray(20, 0);
    ray(160, -18);
    ray(250, -14);
    ray(275, 2);
    ray(250, 16);
    ray(150, 18);
    brush.endShape(true);
  }
  for (const direction of ribs) {
    brush.fill('#922b21', 170);
    brush.beginShape(0.2);
    brush.vertex(foot.x, foot.y);
    brush.vertex(foot.x + 90 * cos(direction - 4), foot.y + 90 * sin(direction - 4));
    brush.vertex(foot.x + 170 * cos(direction), foot.y + 170 * sin(direction));
    brush.vertex(foot.x + 90 * cos(direction + 4), foot.y + 90 * sin(direction + 4));
    brush.endShape(true);
  }
  brush.fill('#6f9450', 200);
  brush.beginShape(0.4);
  for (const [x, y] of [[240, 430], [280, 470], [292, 560], [308, 560], [320, 470], [360, 430], [300, 452]]) brush.vertex(x, y);
  brush.endShape(true);
}
