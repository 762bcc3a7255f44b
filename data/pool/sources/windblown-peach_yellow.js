// Yellow in a wind from the left.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// The wind: the higher and the farther right a point is, the more it is carried along.
function blown(x, y) {
  const lift = constrain(map(y, 560, 60, 0, 1), 0, 1);
  return [x + 54 * lift * lift + 9 * sin(y * 1.3), y + 7 * sin(x * 1.1) - 10 * lift];
}

function flap(hex, opacity, soft, pts) {
  brush.fill(hex, opacity);
  brush.beginShape(soft);
  for (const [x, y] of pts) brush.vertex(...blown(x, y));
  brush.endShape(true);
}

// Outline of a loose flag-like petal pinned at (px, py).
function flag(px, py, aim, reach, girth, flutter) {
  const top = [], bottom = [];
  for (let u = 0.08; u <= 1; u += 0.13) {
    const open = girth * (0.22 + 0.78 * sin(min(u * 118, 104)));
    const wave = flutter * u * sin(u * 430 + aim);
    const spot = (v) => [px + reach * u * cos(aim) - v * sin(aim), py + reach * u * sin(aim) + v * cos(aim)];
    top.push(spot(-open + wave));
    bottom.unshift(spot(open + wave * 1.4));
  }
  const end = [px + reach * 1.03 * cos(aim), py + reach * 1.03 * sin(aim)];
  return [[px, py], ...top, end, ...bottom];
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#fbf5e7');
  brush.noStroke();
  const hx = 262, hy = 276;

  brush.fillBleed(0.12);
  brush.fillTexture(0.4, 0.4);
  flap('#708f50', 205, 0.4, [[250, 300], [232, 400], [214, 500], [206, 590], [220, 592], [230, 500], [248, 400], [266, 300]]);
  for (const [x, y, aim, reach, girth, hex, rib] of [[222, 500, -12, 178, 30, '#81a55a', '#4c7c46'], [214, 544, 10, 180, 30, '#5d8f62', '#2f6256'], [224, 460, 196, 120, 26, '#9cb566', '#65904e']]) {
    brush.fillBleed(0.24);
    brush.fillTexture(0.5, 0.35);
    flap(hex, 205, 0.5, flag(x, y, aim, reach, girth, 10));
    brush.fillBleed(0.2);
    flap(rib, 180, 0.4, flag(x, y, aim, reach * 0.88, girth * 0.18, 10));
  }

  const petals = [
    { aim: -104, reach: 206, girth: 84 }, { aim: -34, reach: 236, girth: 84 }, { aim: 20, reach: 232, girth: 82 },
    { aim: 64, reach: 206, girth: 82 }, { aim: 170, reach: 176, girth: 80 },
  ];
  const warm = [['#f9df5a', '#f9d74d'], ['#f9db53', '#f8d143'], ['#f9e361', '#f9d950'], ['#f9da51', '#f8ce3f'], ['#f9e25e', '#f8d64b']];
  petals.forEach(({ aim, reach, girth }, i) => {
    brush.fillBleed(0.26);
    brush.fillTexture(0.4, 0.5);
    flap(warm[i][0], 200, 0.5, flag(hx, hy, aim, reach, girth, 20));
    brush.fillBleed(0.4);
    brush.fillTexture(0.6, 0.2);
    flap(warm[i][1], 175, 0.5, flag(hx, hy, aim + 4, reach * 0.95, girth * 0.78, 24));
    // lee side: deeper
    brush.fillTexture(0.5, 0.3);
    flap('#f8c430', 180, 0.5, flag(hx, hy, aim + 15, reach * 0.8, girth * 0.34, 22));
    flap('#f8c938', 165, 0.5, flag(hx, hy, aim - 16, reach * 0.68, girth * 0.26, 18));
  });
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const { aim, reach } of petals) for (const s of [-21, -11, -2, 8, 18]) flap('#ee9a1d', 145, 0.4, flag(hx + 40 * cos(aim + s), hy + 40 * sin(aim + s), aim + s, reach * random(0.4, 0.58), 1.5, 5));
  brush.fillBleed(0.34);
  brush.fillTexture(0.35, 0.35);
  for (const { aim } of petals) flap('#c6660f', 205, 0.6, flag(hx, hy, aim, random(84, 100), 17, 8));
  brush.fillBleed(0.24);
  for (const { aim } of petals) flap('#6e1c29', 210, 0.6, flag(hx, hy, aim, 52, 11, 4));

  // the stamen streams out with everything else
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.3);
  flap('#fde8bc', 245, 0.4, flag(hx, hy, -22, 176, 4.2, 14));
  for (let i = 0; i < 24; i++) {
    const u = random(84, 184), v = random(-14, 14) + 8 * sin(u * 2.4), r = random(2.8, 5);
    const sx = hx + u * cos(-22) - v * sin(-22), sy = hy + u * sin(-22) + v * cos(-22);
    flap(i % 3 ? '#f1b02a' : '#d8861e', 240, 0.5, [0, 60, 120, 180, 240, 300].map((g) => [sx + r * cos(g), sy + r * sin(g)]));
  }
  // two loose specks already on their way
  flap('#f9d74d', 195, 0.6, flag(500, 150, 20, 26, 8, 4));
  flap('#f9df5a', 195, 0.6, flag(474, 470, -30, 20, 6, 3));
}
