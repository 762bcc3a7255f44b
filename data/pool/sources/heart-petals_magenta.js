// Hearts of magenta, one petal down.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// One heart, its point at (x, y), opening in direction `aim`. `dent` deepens the notch.
function heart(x, y, aim, scale, squeeze, dent) {
  brush.beginShape(0.55);
  for (let t = 180; t > -180; t -= 20) {
    const across = 16 * pow(sin(t), 3) * squeeze;
    const along = 17 + 13 * cos(t) - 5 * cos(2 * t) * dent - 2 * cos(3 * t) - cos(4 * t);
    const jitter = 1 + random(-0.03, 0.03);
    const px = along * scale * jitter, py = across * scale * jitter;
    brush.vertex(x + px * cos(aim) - py * sin(aim), y + px * sin(aim) + py * cos(aim));
  }
  brush.endShape(true);
}

function sliver(x, y, aim, from, to, thick) {
  brush.beginShape(0.4);
  for (const [r, w] of [[from, thick * 0.4], [lerp(from, to, 0.5), thick], [to, 0.2], [lerp(from, to, 0.5), -thick], [from, -thick * 0.4]]) {
    brush.vertex(x + r * cos(aim) - w * sin(aim), y + r * sin(aim) + w * cos(aim));
  }
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf3e7');
  brush.noStroke();
  const X = 298, Y = 270;

  // stem with two heart-shaped leaves of its own
  brush.fillBleed(0.15);
  brush.fillTexture(0.4, 0.4);
  brush.fill('#6d9152', 200);
  sliver(318, 434, 88, 0, 158, 8);
  brush.fillBleed(0.26);
  brush.fill('#7ea660', 200);
  heart(196, 522, -40, 3.4, 0.75, 0.3);
  brush.fill('#5a8a5c', 200);
  heart(448, 514, -136, 3.6, 0.75, 0.3);
  brush.fill('#3a6a50', 180);
  sliver(206, 516, -40, 0, 96, 7);
  sliver(440, 508, -136, 0, 100, 7);

  const aims = [-54, 18, 90, 162, 234];
  const corals = ['#f574b3', '#f268ae', '#f780b7', '#ef62ad', '#f67ab6'];
  for (const [i, aim] of aims.entries()) {
    brush.fillBleed(0.25);
    brush.fillTexture(0.4, 0.5);
    brush.fill(corals[i], 195);
    heart(X, Y, aim, 7.2, 0.92, 1);
    brush.fillBleed(0.4);
    brush.fillTexture(0.6, 0.2);
    brush.fill(corals[(i + 2) % 5], 170);
    heart(X, Y, aim + 5, 6.7, 0.8, 1.1);
  }
  // a rose heart inside each heart, turned a little, never twice the same
  for (const aim of aims) {
    brush.fillBleed(0.38);
    brush.fillTexture(0.5, 0.3);
    brush.fill('#e050a9', 185);
    heart(X + 8 * cos(aim), Y + 8 * sin(aim), aim + random(-9, 9), random(4.3, 5), 0.62, 1.3);
  }
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const aim of aims) {
    for (const spread of [-24, -13, -4, 6, 15, 25]) {
      brush.fill('#b8358e', 140);
      sliver(X, Y, aim + spread, 56, random(140, 184), 1.3);
    }
  }
  for (const aim of aims) {
    brush.fillBleed(0.34);
    brush.fillTexture(0.35, 0.4);
    brush.fill('#9c1c7a', 210);
    heart(X, Y, aim, 2.6, 0.6, 0.6);
  }
  brush.fillBleed(0.2);
  brush.fill('#5e0f53', 215);
  brush.circle(X, Y, 21, 0.4);

  // short, bushy stamen straight at us
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.3);
  brush.fill('#fce9bd', 240);
  sliver(X, Y, -118, 0, 92, 5);
  for (let i = 0; i < 24; i++) {
    const r = random(34, 92), a = -118 + random(-16, 16);
    brush.fill(i % 4 ? '#f3b02c' : '#d91e59', 240);
    heart(X + r * cos(a), Y + r * sin(a), random(360), 0.3, 1, 0.2);
  }
}
