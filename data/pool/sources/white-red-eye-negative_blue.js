// The white hibiscus against a blue evening ground.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const EYE = [300, 296];
const polar = (angle, radius) => [EYE[0] + radius * cos(angle), EYE[1] + radius * sin(angle)];

function shape(curve, points) {
  brush.beginShape(curve);
  points.forEach((p) => brush.vertex(p[0], p[1]));
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#fbf6ea');
  brush.noStroke();

  // ground: overlapping washes that stop at the petals and dissolve before the paper's edge
  const axes = [-68, 4, 76, 148, 220];
  const margin = (angle) => {
    // how far the flower reaches in this direction
    const nearest = Math.min(...axes.map((a) => Math.abs(((angle - a + 900) % 360) - 180)));
    return 204 - 74 * Math.pow(nearest / 36, 2.4) + 7 * sin(angle * 11);
  };
  const ground = ['#83a69f', '#8ab99b', '#647a94', '#84bc8c', '#75a396', '#71849d', '#84b39b', '#7bab8f', '#647a98'];
  const washes = [[-150, 74, 232], [-96, 60, 250], [-40, 70, 236], [4, 62, 262], [52, 66, 234], [96, 58, 262], [140, 70, 240], [182, 52, 268], [-126, 44, 270]];
  washes.forEach(([from, sweep, reach], i) => {
    const points = [];
    for (let s = 0; s <= 1.001; s += 0.1) points.push(polar(from + s * sweep, margin(from + s * sweep) + 2));
    // the outer side runs off in leaf points, each wash its own
    for (const [s, k] of [[0.96, 0.86], [0.8, 0.98], [0.66, 1.12], [0.54, 0.92], [0.4, 1.02], [0.26, 0.9], [0.08, 0.84]]) {
      points.push(polar(from + s * sweep, reach * k + random(-9, 9)));
    }
    brush.fillBleed(i % 2 ? 0.3 : 0.4);
    brush.fillTexture(0.6, 0.1);
    brush.fill(ground[i], 175);
    shape(0.45, points);
  });
  // darkest where two petals part
  brush.fillBleed(0.3);
  brush.fillTexture(0.5, 0.25);
  axes.forEach((a, i) => {
    const gap = a + 36;
    const points = [];
    for (let s = -16; s <= 16; s += 4) points.push(polar(gap + s, margin(gap + s)));
    points.push(polar(gap + 12, 212), polar(gap + 2, 196 + 22 * (i % 2)), polar(gap - 11, 208));
    brush.fill(i % 2 ? '#445b75' : '#517f7f', 195);
    shape(0.4, points);
  });

  // shadows on the white: cool grey-violet and warm cream, one side of each petal
  axes.forEach((a, i) => {
    brush.fillBleed(0.28);
    brush.fillTexture(0.4, 0.2);
    brush.fill(i % 2 ? '#d9d2e0' : '#cfd6dc', 165);
    shape(0.6, [polar(a + 6, 40), polar(a + 30, 96), polar(a + 32, 156), polar(a + 20, 188), polar(a + 15, 130), polar(a + 10, 84)]);
    brush.fill('#f3e0c4', 165);
    shape(0.6, [polar(a - 8, 70), polar(a - 25, 120), polar(a - 24, 172), polar(a - 12, 190), polar(a - 10, 130)]);
  });
  // pale veins
  brush.fillBleed(0.05);
  brush.fillTexture(0.1, 0.2);
  for (const a of axes) {
    for (const s of [-17, -6, 6, 16]) {
      brush.fill('#e7b9bb', 160);
      shape(0.3, [polar(a + s * 0.5, 60), polar(a + s - 0.9, 118), polar(a + s * 1.15, random(150, 180)), polar(a + s + 0.9, 118)]);
    }
  }

  // the red eye: long tongues, then a dark well
  brush.fillBleed(0.34);
  brush.fillTexture(0.35, 0.5);
  axes.forEach((a, i) => {
    brush.fill(['#d8344c', '#c9243f', '#e0485a', '#c2203c', '#d43048'][i], 215);
    shape(0.6, [polar(a - 24, 26), polar(a - 16, 66), polar(a - 3, 104 + random(-8, 8)), polar(a + 14, 70), polar(a + 24, 26), polar(a + 180, 4)]);
  });
  brush.fill('#8a0f2c', 220);
  axes.forEach((a) => shape(0.5, [polar(a - 14, 12), polar(a - 5, 44), polar(a + 4, 48), polar(a + 14, 12), polar(a + 180, 6)]));

  // stamen
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.3);
  brush.fill('#f6c9a8', 235);
  shape(0.4, [[298, 300], [330, 350], [352, 402], [360, 400], [342, 346], [308, 292]]);
  const dab = (x, y, r) => shape(0.5, [0, 60, 120, 180, 240, 300].map((a) => [x + r * cos(a), y + r * sin(a)]));
  brush.fill('#eeb52c', 240);
  for (let i = 0; i < 16; i++) {
    const t = random(0.42, 1);
    dab(302 + 56 * t + random(-12, 12), 298 + 106 * t + random(-8, 8), random(3, 5.5));
  }
  brush.fill('#a8182f', 240);
  for (const [x, y] of [[352, 416], [364, 414], [372, 402], [346, 408]]) dab(x, y, 4.5);
}
