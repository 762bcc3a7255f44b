// Two lemons hang from a branch, one in front of the other; light from the left.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

class Lemon {
  constructor(x, y, long, wide, lean) {
    Object.assign(this, { x, y, long, wide, lean });
  }
  // A point of the skin; t runs round once, k shrinks towards the centre, (dx, dy) moves the pass.
  point(t, k, dx, dy) {
    const tip = 1 + 0.2 * (exp(-pow((((t + 180) % 360) - 180) / 15, 2)) + exp(-pow((t - 180) / 13, 2)));
    const u = this.long * k * tip * cos(t), v = this.wide * k * sin(t);
    return [this.x + dx + u * cos(this.lean) - v * sin(this.lean), this.y + dy + u * sin(this.lean) + v * cos(this.lean)];
  }
  lay(hex, opacity, bleed, k, dx, dy) {
    brush.fill(hex, opacity);
    brush.fillBleed(bleed);
    brush.beginShape(0.5);
    for (let t = 0; t < 360; t += 15) brush.vertex(...this.point(t, k * random(0.975, 1.02), dx, dy));
    brush.endShape(true);
  }
  // The crescent away from the light.
  shade(hex, opacity, from, to, depth) {
    brush.fill(hex, opacity);
    brush.fillBleed(0.22);
    brush.beginShape(0.5);
    for (let t = from; t <= to; t += 14) brush.vertex(...this.point(t, 0.98, 0, 0));
    for (let t = to; t >= from; t -= 14) brush.vertex(...this.point(t, depth + random(-0.04, 0.04), 0, 0));
    brush.endShape(true);
  }
}

function ribbon(points, half, hex) {
  brush.fill(hex, 215);
  brush.beginShape(0.4);
  for (const [x, y] of points) brush.vertex(x - half * 0.4, y - half);
  for (const [x, y] of points.slice().reverse()) brush.vertex(x + half * 0.4, y + half);
  brush.endShape(true);
}

function leaf(x, y, turn, long, wide, hex, vein) {
  const place = (u, v) => [x + long * u * cos(turn) - wide * v * sin(turn), y + long * u * sin(turn) + wide * v * cos(turn)];
  for (const [tint, k, opacity] of [[hex, 1, 195], [vein, 0.5, 165]]) {
    brush.fill(tint, opacity);
    brush.beginShape(0.5);
    for (const [u, v] of [[0, 0], [0.22, -0.7], [0.5, -0.95], [0.8, -0.5], [1, 0], [0.78, 0.55], [0.48, 0.9], [0.2, 0.6]]) {
      brush.vertex(...place(0.04 + u * (0.5 + k / 2), v * k));
    }
    brush.endShape(true);
  }
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f4e6');
  brush.noStroke();
  brush.fillTexture(0.45, 0.35);
  brush.fillBleed(0.12);
  ribbon([[70, 120], [180, 104], [300, 116], [420, 92], [530, 104]], 6, '#8a6f4c');
  ribbon([[236, 112], [240, 150], [236, 190]], 5, '#7c8a4c');
  ribbon([[388, 100], [398, 150], [396, 200]], 5, '#7c8a4c');
  brush.fillBleed(0.2);
  leaf(300, 110, 66, 150, 44, '#6f9a5e', '#3d6b4c');
  leaf(150, 108, 120, 140, 40, '#8cae62', '#55804e');
  leaf(450, 98, 40, 130, 40, '#5e8c5c', '#345c48');
  leaf(330, 108, -24, 120, 32, '#93b56a', '#5c8a54');
  const back = new Lemon(398, 330, 140, 98, 84), front = new Lemon(234, 338, 152, 108, 98);
  for (const fruit of [back, front]) {
    fruit.lay('#f7e27a', 190, 0.2, 1, 0, 0);
    fruit.lay('#f3cf3e', 185, 0.24, 0.86, 14, 6);
    fruit.lay('#edbc2e', 170, 0.26, 0.6, 26, 14);
    fruit.shade('#b9b24a', 165, -118, 8, 0.72);
    fruit.shade('#8f9a4e', 150, -96, -14, 0.86);
  }
  brush.fillBleed(0.05);
  for (let i = 0; i < 14; i++) {
    brush.fill('#f2cf45', 170);
    brush.circle(random(90, 520), random(470, 550), random(2, 6), 0.3);
  }
}
