// The trumpet facing left, in yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

// Paint a closed shape from a flat list x0, y0, x1, y1, ...
function lay(hex, opacity, curve, ...xy) {
  brush.fill(hex, opacity);
  brush.beginShape(curve);
  for (let i = 0; i < xy.length; i += 2) brush.vertex(width - (xy[i] + random(-3, 3)), xy[i + 1] + random(-3, 3));
  brush.endShape(true);
}

// A round dab of pollen.
function dab(hex, x, y, r) {
  brush.fill(hex, 240);
  brush.beginShape(0.5);
  for (let a = 0; a < 360; a += 45) brush.vertex(width - (x + r * cos(a)), y + r * sin(a));
  brush.endShape(true);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f9f3e6');
  brush.noStroke();

  // stalk and leaves sweep in from the lower left
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.4);
  lay('#6f8f4f', 200, 0.5, 60, 560, 92, 508, 136, 458, 178, 414, 188, 422, 150, 470, 108, 520, 76, 566);
  lay('#5f8a4e', 200, 0.5, 96, 506, 66, 440, 62, 372, 84, 318, 116, 360, 126, 424, 116, 476);
  lay('#8ba65a', 200, 0.5, 112, 496, 176, 478, 246, 490, 306, 532, 240, 556, 170, 546);
  lay('#3e6c48', 180, 0.4, 100, 492, 84, 426, 82, 350, 94, 400, 108, 470);
  lay('#4f7d48', 180, 0.4, 128, 500, 196, 500, 276, 526, 200, 520);

  // petals at the back of the trumpet
  brush.fillBleed(0.26);
  brush.fillTexture(0.45, 0.45);
  lay('#f8d448', 195, 0.5, 232, 352, 246, 268, 286, 176, 330, 108, 384, 76, 428, 92, 442, 138, 424, 198, 382, 262, 320, 322, 262, 362);
  lay('#f8cb3a', 195, 0.5, 250, 370, 330, 300, 412, 236, 478, 186, 528, 176, 556, 212, 552, 262, 516, 308, 452, 346, 372, 374, 290, 386);
  // petals in front
  lay('#f9db53', 200, 0.5, 248, 384, 330, 374, 414, 362, 486, 366, 528, 396, 530, 440, 498, 474, 442, 480, 376, 456, 312, 420, 260, 394);
  lay('#f8ce3e', 195, 0.5, 236, 394, 288, 410, 340, 446, 378, 494, 380, 540, 348, 560, 302, 546, 268, 498, 244, 444);
  lay('#f9df59', 195, 0.5, 228, 348, 204, 280, 196, 206, 214, 146, 250, 120, 286, 136, 298, 186, 286, 258, 258, 330);

  // a second, wetter coat where each petal curls
  brush.fillBleed(0.38);
  brush.fillTexture(0.55, 0.25);
  lay('#f1bd44', 175, 0.6, 262, 346, 292, 270, 330, 194, 372, 128, 396, 150, 376, 214, 330, 290);
  lay('#f0b63c', 180, 0.6, 282, 366, 360, 314, 436, 268, 500, 226, 520, 250, 466, 306, 380, 350);
  lay('#f7c22f', 170, 0.6, 276, 390, 360, 396, 440, 404, 498, 420, 470, 448, 396, 440, 320, 416);
  lay('#efa82b', 170, 0.6, 252, 408, 296, 436, 336, 484, 350, 528, 312, 516, 274, 464);
  lay('#f8c532', 165, 0.6, 240, 340, 224, 270, 226, 196, 246, 162, 262, 206, 258, 284);

  // the throat glows crimson and fades along the folds
  brush.fillBleed(0.32);
  brush.fillTexture(0.35, 0.4);
  lay('#bd5d0e', 205, 0.6, 238, 366, 270, 320, 304, 262, 326, 222, 322, 270, 296, 328, 334, 316, 398, 280, 372, 318, 318, 350, 384, 364, 428, 376, 376, 388, 310, 384, 336, 420, 350, 454, 310, 424, 266, 396);
  lay('#721c2b', 200, 0.6, 232, 372, 258, 344, 284, 310, 286, 342, 322, 344, 300, 366, 326, 384, 286, 388, 258, 392);

  // veins, thin as a rigger brush makes them
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.15);
  for (const [x, y, mx, my] of [[372, 120, 296, 220], [404, 128, 326, 236], [524, 220, 410, 270], [530, 252, 420, 304], [508, 400, 404, 380], [502, 438, 390, 412], [352, 530, 312, 452], [322, 536, 282, 460], [236, 160, 232, 260], [258, 156, 248, 254]]) {
    lay('#d37310', 140, 0.4, 250, 366, mx - 1, my - 1, x, y, mx + 2.5, my + 3);
  }

  // calyx grips the tube
  brush.fillBleed(0.18);
  brush.fillTexture(0.3, 0.4);
  lay('#7f9a4c', 210, 0.5, 168, 428, 172, 380, 198, 338, 236, 316, 246, 340, 232, 366, 264, 392, 250, 414, 214, 432, 186, 438);
  lay('#4c7440', 190, 0.4, 174, 424, 186, 388, 214, 352, 212, 382, 228, 398, 204, 424);

  // the stamen column flies out beyond the petals
  brush.fillBleed(0.05);
  brush.fillTexture(0.15, 0.3);
  lay('#faeb71', 240, 0.4, 262, 366, 350, 330, 440, 308, 532, 318, 533, 324, 440, 316, 352, 340, 266, 376);
  for (let i = 0; i < 24; i++) {
    const t = random(0.45, 1), x = lerp(300, 536, t), y = 352 - 40 * sin(t * 130) + random(-15, 15), r = random(2.8, 5);
    dab(i % 3 ? '#efb02a' : '#d88a20', x, y, r);
  }
}
