async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Pulled wet into wet: every petal starts as a pale puddle and is charged with colour while it runs.
const HEART = [292, 306];

function puddle(x, y, w, h, lean, rough) {
  const points = [];
  for (let a = 0; a < 360; a += 24) {
    const u = w * cos(a) * random(1 - rough, 1 + rough), v = h * sin(a) * random(1 - rough, 1 + rough);
    points.push([x + u * cos(lean) - v * sin(lean), y + u * sin(lean) + v * cos(lean)]);
  }
  return points;
}

function charge(points, hex, opacity, bleed, texture) {
  brush.fill(hex, opacity);
  brush.fillBleed(bleed);
  brush.fillTexture(texture, 0.3);
  brush.beginShape(0.6);
  points.forEach(([x, y]) => brush.vertex(x, y));
  brush.endShape(true);
}

function stroke(from, to, half, hex) {
  const [x, y] = from, [p, q] = to, n = Math.hypot(p - x, q - y);
  const nx = (-(q - y) / n) * half, ny = ((p - x) / n) * half;
  charge([[x + nx, y + ny], [(x + p) / 2 + nx * 1.4 + 6, (y + q) / 2 + ny * 1.4], [p, q], [(x + p) / 2 - nx + 6, (y + q) / 2 - ny], [x - nx, y - ny]], hex, 205, 0.12, 0.35);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f3e5');
  brush.noStroke();
  stroke([316, 420], [352, 590], 6, '#7d9a58');
  charge(puddle(420, 486, 86, 30, -24, 0.08), '#8fae66', 195, 0.2, 0.4);
  charge(puddle(428, 484, 54, 12, -24, 0.08), '#55804f', 165, 0.22, 0.4);
  charge(puddle(178, 470, 76, 28, 206, 0.08), '#7ba05c', 195, 0.2, 0.4);
  charge(puddle(172, 474, 46, 11, 206, 0.08), '#436f4b', 165, 0.22, 0.4);
  const petals = [-96, -26, 44, 130, 200].map((a) => ({ a, x: HEART[0] + 112 * cos(a), y: HEART[1] + 112 * sin(a) }));
  for (const { a, x, y } of petals) charge(puddle(x, y, 112, 80, a, 0.09), '#f8bfa6', 190, 0.3, 0.45);
  for (const { a, x, y } of petals) charge(puddle(x - 6 * cos(a), y - 6 * sin(a), 92, 62, a + 5, 0.11), '#f08a70', 175, 0.3, 0.5);
  for (const { a } of petals) {
    charge(puddle(HEART[0] + 74 * cos(a - 5), HEART[1] + 74 * sin(a - 5), 62, 24, a - 5, 0.14), '#dd5a4c', 170, 0.28, 0.45);
    charge(puddle(HEART[0] + 46 * cos(a + 6), HEART[1] + 46 * sin(a + 6), 36, 13, a + 6, 0.14), '#a8283f', 190, 0.26, 0.35);
  }
  charge(puddle(HEART[0], HEART[1], 17, 15, 0, 0.1), '#7c172d', 210, 0.16, 0.3);
  stroke(HEART, [378, 198], 5, '#f7dca6');
  brush.fillBleed(0.05);
  for (let i = 0; i < 15; i++) {
    const t = random(0.6, 1.02);
    brush.fill(i % 3 ? '#efb12c' : '#cf8420', 240);
    brush.circle(lerp(HEART[0], 378, t) + random(-12, 12), lerp(HEART[1], 198, t) + random(-12, 12), random(3, 5), 0.2);
  }
}
