// A peach hibiscus from behind.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const hub = [300, 306];

const spoke = (deg, dist) => [hub[0] + dist * cos(deg), hub[1] + dist * sin(deg)];

function blot(points, softness) {
  brush.beginShape(softness);
  while (points.length) brush.vertex(...points.shift());
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf5ea');
  brush.noStroke();

  const order = [
    { deg: -168, long: 230, tint: '#f7c8b5', under: '#ec9e83' },
    { deg: -40, long: 238, tint: '#fad7c2', under: '#efac8f' },
    { deg: 22, long: 200, tint: '#f5bda8', under: '#e58d70' },
    { deg: 148, long: 190, tint: '#f9cfbc', under: '#eba084' },
    { deg: -104, long: 234, tint: '#fbdfcb', under: '#f4b799' },
  ];
  for (const { deg, long, tint, under } of order) {
    // body of the petal, scalloped along its outer margin
    brush.fillBleed(0.26);
    brush.fillTexture(0.4, 0.5);
    brush.fill(tint, 215);
    const body = [spoke(deg, 0), spoke(deg - 30, long * 0.34), spoke(deg - 38, long * 0.68)];
    for (let k = -32; k <= 32; k += 8) body.push(spoke(deg + k, long * (0.97 - abs(k) / 320) + random(-7, 7)));
    body.push(spoke(deg + 38, long * 0.66), spoke(deg + 28, long * 0.32));
    blot(body, 0.5);
    // a wetter coat that slides to one side
    brush.fillBleed(0.42);
    brush.fillTexture(0.6, 0.2);
    brush.fill(tint, 180);
    blot([spoke(deg + 6, 20), spoke(deg - 18, long * 0.4), spoke(deg - 24, long * 0.8), spoke(deg + 4, long * 0.92), spoke(deg + 26, long * 0.76), spoke(deg + 22, long * 0.36)], 0.6);
    // colour creeping up from the calyx, in three uneven fingers
    brush.fillBleed(0.4);
    brush.fillTexture(0.5, 0.25);
    brush.fill(under, 185);
    for (const k of [-22, 0, 21]) {
      const tip = long * random(0.55, 0.78);
      blot([spoke(deg + k * 0.3, 8), spoke(deg + k - 8, tip * 0.5), spoke(deg + k - 6, tip * 0.85), spoke(deg + k, tip), spoke(deg + k + 7, tip * 0.8), spoke(deg + k + 8, tip * 0.45)], 0.6);
    }
    // ribs stand out on the back of a petal
    brush.fillBleed(0.05);
    brush.fillTexture(0.15, 0.1);
    for (const k of [-27, -16, -6, 5, 15, 26]) {
      brush.fill('#ca694e', 150);
      const tip = long * random(0.7, 0.88);
      blot([spoke(deg + k * 0.7, 26), spoke(deg + k - 0.7, tip * 0.6), spoke(deg + k * 1.06, tip), spoke(deg + k + 0.8, tip * 0.6)], 0.4);
    }
  }

  // the stalk curves up in front of the lower petals' gap
  brush.fillBleed(0.1);
  brush.fillTexture(0.35, 0.45);
  brush.fill('#7b9a50', 215);
  blot([[282, 330], [292, 400], [316, 468], [356, 530], [404, 580], [414, 572], [370, 520], [332, 460], [308, 396], [298, 328]], 0.5);
  brush.fillBleed(0.24);
  brush.fill('#6a9550', 205);
  blot([[344, 508], [396, 470], [462, 452], [536, 470], [494, 502], [430, 522], [376, 526]], 0.5);
  brush.fill('#9bb466', 200);
  blot([[352, 524], [296, 528], [232, 552], [190, 586], [250, 590], [312, 572]], 0.5);
  brush.fillBleed(0.2);
  brush.fill('#39694a', 185);
  blot([[364, 512], [430, 484], [510, 474], [432, 500]], 0.4);
  blot([[338, 534], [280, 548], [222, 576], [286, 562]], 0.4);

  // calyx: five sepals and the small leaves beneath them
  for (const [deg, len, hex] of [[-90, 74, '#7fa052'], [-20, 70, '#6b924c'], [52, 62, '#8cab5a'], [128, 62, '#5f8a4c'], [200, 70, '#86a656']]) {
    brush.fillBleed(0.2);
    brush.fillTexture(0.35, 0.45);
    brush.fill(hex, 220);
    blot([spoke(deg + 180, 8), spoke(deg - 44, 24), spoke(deg - 18, len * 0.6), spoke(deg, len), spoke(deg + 16, len * 0.62), spoke(deg + 44, 24)], 0.5);
  }
  brush.fillBleed(0.14);
  for (const deg of [-54, 16, 90, 164, 236]) {
    brush.fill('#3f6e44', 200);
    blot([spoke(deg - 30, 8), spoke(deg - 6, 34), spoke(deg, 50), spoke(deg + 6, 34), spoke(deg + 30, 8)], 0.4);
  }
  brush.fill('#48753f', 215);
  blot([0, 60, 120, 180, 240, 300].map((d) => spoke(d, 17)), 0.7);
}
