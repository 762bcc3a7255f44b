// The two buds in peach, the open one on the left.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Every form is a list of [height, left, right] sections stacked along an axis.
function sections(x, y, lean, scale, list) {
  const left = [], right = [];
  for (const [h, l, r] of list) {
    const ax = x + scale * h * sin(lean), ay = y - scale * h * cos(lean);
    left.push([ax - scale * l * cos(lean) + random(-2, 2), ay - scale * l * sin(lean)]);
    right.unshift([ax + scale * r * cos(lean) + random(-2, 2), ay + scale * r * sin(lean)]);
  }
  return left.concat(right);
}

function wash(hex, opacity, outline, curve = 0.5) {
  brush.fill(hex, opacity);
  brush.beginShape(curve);
  for (const [px, py] of outline) brush.vertex(width - px, py);
  brush.endShape(true);
}

function leafOn(x, y, lean, scale, hex, shade) {
  brush.fillBleed(0.24);
  brush.fillTexture(0.45, 0.4);
  wash(hex, 205, sections(x, y, lean, scale, [[0, 0, 0], [30, 16, 18], [62, 26, 28], [96, 24, 26], [124, 12, 15], [150, 1, 1]]));
  brush.fillBleed(0.32);
  brush.fillTexture(0.5, 0.2);
  wash(shade, 180, sections(x, y, lean, scale, [[6, -2, 10], [50, -3, 20], [96, -2, 20], [138, 0, 5]]));
  brush.fillBleed(0.05);
  wash(shade, 190, sections(x, y, lean, scale, [[2, 1.5, 1.5], [70, 1.6, 1.6], [142, 0.2, 0.2]]), 0.2);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf4e7');
  brush.noStroke();

  // one stem that forks
  brush.fillBleed(0.1);
  brush.fillTexture(0.4, 0.45);
  wash('#7c9c58', 205, [[290, 520], [278, 446], [240, 364], [246, 360], [288, 436], [304, 512]], 0.4);
  wash('#6b8e4e', 210, [[286, 594], [294, 520], [326, 430], [366, 330], [374, 334], [340, 440], [312, 530], [304, 595]], 0.4);
  leafOn(298, 560, 66, 1.15, '#7ea45a', '#487848');
  leafOn(292, 540, -74, 1.2, '#5b8b5c', '#2b5f54');
  leafOn(272, 440, -58, 0.85, '#93b066', '#5c8a4e');
  leafOn(340, 436, 72, 0.9, '#6f9a64', '#3a6c54');

  // left: a furled bud, its petals wrapped in a screw
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.5);
  wash('#e69479', 205, sections(238, 350, -14, 1, [[0, 14, 14], [36, 30, 28], [84, 34, 30], [130, 26, 22], [170, 12, 10], [186, 2, 2]]));
  brush.fillBleed(0.34);
  brush.fillTexture(0.5, 0.3);
  wash('#cf5837', 190, sections(238, 350, -14, 1, [[8, 12, -4], [60, 30, -12], [110, 22, -2], [160, 2, 8], [176, -2, 5]]));
  wash('#b1391f', 180, sections(238, 350, -14, 1, [[20, -8, 22], [70, -4, 26], [116, 8, 8], [90, -2, 14]]));
  wash('#f4c3b2', 185, sections(238, 350, -14, 1, [[40, 2, 6], [90, 6, 4], [140, 8, -2]]));

  // right: the second bud loosens, three petals part at the top
  brush.fillBleed(0.26);
  brush.fillTexture(0.42, 0.5);
  const x = 372, y = 322;
  wash('#eba48b', 200, sections(x, y, -20, 1, [[0, 12, 8], [50, 38, 12], [110, 66, 16], [170, 84, 30], [214, 66, 40], [232, 24, 30]]));
  wash('#e0886b', 200, sections(x, y, 26, 1, [[0, 8, 12], [50, 14, 36], [112, 20, 60], [168, 34, 74], [208, 40, 56], [224, 26, 20]]));
  wash('#f2b7a4', 195, sections(x, y, 3, 1.02, [[0, 12, 12], [50, 32, 30], [104, 50, 46], [156, 56, 54], [196, 40, 44], [214, 12, 20]]));
  brush.fillBleed(0.4);
  brush.fillTexture(0.55, 0.25);
  wash('#d67051', 180, sections(x, y, -18, 1, [[10, 12, 0], [70, 34, -6], [140, 54, -20], [200, 44, -16]]));
  wash('#d05331', 180, sections(x, y, 25, 1, [[10, -2, 12], [70, -8, 34], [136, -16, 50], [190, -14, 40]]));
  wash('#c14627', 175, sections(x, y, 2, 1, [[10, 8, 8], [60, 20, 12], [110, 20, 8], [150, 8, 2]]));
  wash('#8d1932', 195, sections(x, y, 2, 1, [[4, 9, 9], [36, 17, 16], [66, 12, 12], [92, 2, 4]]));
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.1);
  for (const lean of [-27, -18, -9, -1, 7, 15, 24, 31]) {
    wash('#ad381f', 150, sections(x, y, lean, 1, [[46, 1, 1], [110, 1.4, 1.4], [random(148, 188), 0.2, 0.2]]), 0.2);
  }

  // calyces, painted last: they hold everything
  for (const [bx, by, lean, k] of [[238, 352, -14, 1], [x, y + 4, 4, 1.15]]) {
    brush.fillBleed(0.2);
    brush.fillTexture(0.35, 0.45);
    for (const [turn, hex] of [[-30, '#7ea352'], [28, '#5d884a'], [-2, '#90b060']]) {
      wash(hex, 215, sections(bx, by + 12, lean + turn, k, [[0, 11, 11], [28, 14, 14], [56, 8, 8], [78, 1, 1]]));
    }
    wash('#4a7644', 195, sections(bx, by + 14, lean, k, [[0, 12, 12], [16, 15, 15], [26, 10, 10]]));
  }
  // a tip of pollen in the opening bud
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.3);
  wash('#fbe6b8', 240, sections(x + 14, y - 186, 8, 1, [[0, 4, 4], [40, 3.4, 3.4], [72, 2, 2]]), 0.3);
  for (let i = 0; i < 14; i++) {
    const r = random(2.8, 4.8);
    const px = x + 26 + random(-13, 13), py = y - 222 - random(0, 44);
    wash(i % 3 ? '#f2b02a' : '#d8861e', 240, [0, 60, 120, 180, 240, 300].map((g) => [px + r * cos(g), py + r * sin(g)]));
  }
}
