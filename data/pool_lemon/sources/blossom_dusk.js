// The lemon and its flower at dusk.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const paint = {
  wash(hex, opacity, bleed, points) {
    brush.fill(hex, opacity);
    brush.fillBleed(bleed);
    brush.beginShape(0.5);
    for (let i = 0; i < points.length; i += 2) brush.vertex(points[i], points[i + 1]);
    brush.endShape(true);
  },
  petal(x, y, a, long, hex, opacity) {
    const points = [];
    for (const [t, s] of [[0, 0], [0.35, -0.3], [0.75, -0.34], [1, -0.1], [0.98, 0.14], [0.7, 0.36], [0.3, 0.28]]) {
      points.push(x + long * (t * cos(a) - s * sin(a)), y + long * (t * sin(a) + s * cos(a)));
    }
    paint.wash(hex, opacity, 0.14, points);
  },
};

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f3e7');
  brush.noStroke();
  brush.fillTexture(0.45, 0.4);
  // a cool grey-green cloud behind the flower, so that white petals show
  paint.wash('#b4b6cc', 165, 0.34, [250, 70, 380, 56, 500, 110, 520, 220, 440, 286, 320, 262, 246, 180]);
  paint.wash('#9a9cba', 155, 0.34, [330, 96, 440, 92, 480, 170, 420, 232, 330, 206]);
  // leaves
  paint.wash('#6d955c', 200, 0.16, [214, 246, 170, 150, 104, 92, 70, 92, 84, 160, 150, 236]);
  paint.wash('#3f6a4a', 165, 0.2, [204, 236, 150, 158, 92, 112, 110, 164, 166, 226]);
  paint.wash('#86a766', 195, 0.16, [420, 330, 500, 312, 556, 340, 560, 366, 500, 392, 432, 380]);
  paint.wash('#527f52', 160, 0.2, [436, 350, 500, 336, 548, 352, 496, 372]);
  // the fruit, four passes from pale to ochre
  paint.wash('#f8e98e', 205, 0.18, [118, 376, 146, 300, 220, 250, 310, 246, 388, 290, 430, 352, 446, 388, 420, 420, 376, 484, 300, 526, 214, 518, 150, 466, 122, 410]);
  paint.wash('#eec24a', 185, 0.25, [160, 392, 196, 322, 268, 290, 344, 306, 396, 362, 398, 424, 344, 488, 270, 508, 200, 474]);
  paint.wash('#eabb34', 170, 0.28, [214, 410, 258, 356, 326, 352, 372, 398, 356, 452, 300, 488, 236, 468]);
  paint.wash('#b6a94c', 165, 0.28, [172, 462, 230, 492, 306, 498, 372, 458, 412, 408, 390, 470, 316, 522, 226, 516]);
  // flower: five petals twice, a yellow heart
  for (let i = 0; i < 5; i++) paint.petal(384, 164, i * 72 - 84, 86, '#fdfaf0', 250);
  for (let i = 0; i < 5; i++) paint.petal(384, 164, i * 72 - 78, 50, '#e3e0ea', 165);
  brush.fillBleed(0.08);
  for (let i = 0; i < 11; i++) {
    brush.fill(i % 2 ? '#edbd3a' : '#d6962c', 235);
    brush.circle(384 + 17 * cos(i * 33), 164 + 17 * sin(i * 33), 5, 0.3);
  }
}
