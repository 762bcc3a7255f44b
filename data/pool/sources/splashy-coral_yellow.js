// Thrown yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

let wind;

// A blot: a circle whose radius is pulled about by noise and stretched along `aim`.
function blot(x, y, r, aim, stretch, rough) {
  const n = constrain(floor(r / 5), 7, 18), salt = random(100);
  brush.beginShape(0.6);
  for (let i = 0; i < n; i++) {
    const a = (i * 360) / n;
    const d = r * (1 + rough * (noise(salt + cos(a) + 2, salt + sin(a) + 2) - 0.5));
    const u = d * cos(a) * stretch, v = d * sin(a);
    brush.vertex(x + u * cos(aim) - v * sin(aim), y + u * sin(aim) + v * cos(aim));
  }
  brush.endShape(true);
}

function spatter(x, y, aim, count, hexes) {
  for (let i = 0; i < count; i++) {
    const throw_ = random(20, 120), a = aim + random(-22, 22);
    brush.fill(random(hexes), 205);
    blot(x + throw_ * cos(a), y + throw_ * sin(a), random(1.6, 6.5) * (1 - throw_ / 190), a, random(1, 1.7), 0.4);
  }
}

function run(x, y, len, lean, hex) {
  brush.fill(hex, 180);
  brush.beginShape(0.5);
  brush.vertex(x - 5, y);
  brush.vertex(x - 2.5 + lean * 0.5, y + len * 0.5);
  brush.vertex(x - 4 + lean, y + len * 0.92);
  brush.vertex(x + lean, y + len);
  brush.vertex(x + 4 + lean, y + len * 0.92);
  brush.vertex(x + 2 + lean * 0.5, y + len * 0.5);
  brush.vertex(x + 5, y);
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#fbf5e9');
  brush.noStroke();
  wind = random(-8, 8);
  const eye = createVector(306, 268);
  const warm = ['#f8d144', '#f8ca39', '#f9d84e', '#f8d64b', '#f8c836'];

  // leaves: two strokes of a loaded brush each
  for (const [x, y, aim, hex] of [[148, 470, 146, '#7ea158'], [214, 526, 118, '#5a8b58'], [440, 484, 40, '#92ad5c'], [384, 534, 68, '#4f8260'], [508, 330, 4, '#84a65e']]) {
    brush.fillBleed(0.34);
    brush.fillTexture(0.55, 0.35);
    brush.fill(hex, 195);
    blot(x, y, 26, aim + wind, 2.3, 0.6);
    brush.fill('#2f6656', 165);
    blot(x, y, 10, aim + wind + 5, 3.6, 0.6);
  }

  // five big throws
  for (let i = 0; i < 5; i++) {
    const aim = -90 + 72 * i + wind, r = 126;
    brush.fillBleed(0.45);
    brush.fillTexture(0.6, 0.35);
    brush.fill(warm[i], 190);
    blot(eye.x + r * cos(aim), eye.y + r * sin(aim), 82, aim, 1.2, 0.55);
    brush.fillBleed(0.6);
    brush.fillTexture(0.7, 0.15);
    brush.fill(warm[(i + 3) % 5], 170);
    blot(eye.x + (r + 12) * cos(aim + 10), eye.y + (r + 12) * sin(aim + 10), 70, aim + 20, 1.2, 0.8);
    brush.fillBleed(0.45);
    brush.fillTexture(0.5, 0.4);
    brush.fill(i % 2 ? '#efa92d' : '#ee9c1e', 185);
    blot(eye.x + 84 * cos(aim - 6), eye.y + 84 * sin(aim - 6), 36, aim, 1.9, 0.7);
  }
  // the centre bursts
  brush.fillBleed(0.5);
  brush.fillTexture(0.4, 0.4);
  for (let i = 0; i < 9; i++) {
    const aim = i * 40 + random(-12, 12);
    brush.fill(i % 2 ? '#8b2334' : '#c5650f', 205);
    blot(eye.x + 34 * cos(aim), eye.y + 34 * sin(aim), random(9, 15), aim, 2.4, 0.7);
  }
  brush.fillBleed(0.3);
  brush.fill('#551520', 215);
  blot(eye.x, eye.y, 20, 0, 1, 0.5);

  // gravity
  brush.fillBleed(0.14);
  brush.fillTexture(0.3, 0.5);
  run(232, 432, 84, 3, '#f8cf41');
  run(352, 440, 122, -4, '#f8c938');
  run(296, 446, 62, 1, '#f9d74d');

  // spatter follows the throws outwards
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.4);
  spatter(440, 150, -42, 16, warm);
  spatter(150, 170, -146, 12, warm);
  spatter(490, 400, 24, 8, ['#7ea158', '#5a8b58']);
  spatter(110, 380, 168, 9, warm);

  // stamen: a comet of yellow
  brush.fill('#fdeabc', 245);
  blot(eye.x + 46, eye.y - 46, 6, -45, 11, 0.3);
  for (let i = 0; i < 26; i++) {
    const r = random(44, 136), a = -45 + random(-11, 11) + wind * 0.3;
    brush.fill(random(['#f5b62a', '#f0a01e', '#df8011']), 245);
    blot(eye.x + r * cos(a), eye.y + r * sin(a), random(2.5, 5.4), a, 1.1, 0.4);
  }
}
