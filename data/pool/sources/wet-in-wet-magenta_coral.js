// Coral dropped wet in wet, the flower turned.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf4e8');
  brush.noStroke();

  const heart = { x: 296, y: 280 };
  // an uneven ellipse of water: half-lengths rx, ry, turned by `turn`
  const pool = (x, y, rx, ry, turn, knots) => {
    brush.beginShape(0.6);
    for (let k = 0; k < knots; k++) {
      const around = (360 / knots) * k;
      const wobble = 1 + random(-0.13, 0.13);
      const px = rx * wobble * cos(around), py = ry * wobble * sin(around);
      brush.vertex(x + px * cos(turn) - py * sin(turn), y + px * sin(turn) + py * cos(turn));
    }
    brush.endShape(true);
  };

  // two leaves and a stem, still damp
  brush.fillTexture(0.5, 0.3);
  brush.fillBleed(0.28);
  brush.fill('#6f9450', 190);
  pool(300, 524, 64, 8, 97, 10);
  brush.fill('#5c8a58', 190);
  pool(408, 500, 84, 30, 24, 12);
  brush.fill('#88a45a', 190);
  pool(190, 506, 80, 28, 156, 12);
  brush.fill('#2f6550', 175);
  pool(398, 498, 58, 10, 26, 10);
  pool(204, 502, 52, 9, 155, 10);

  // five puddles of rose, each laid twice so that they settle unevenly
  const turns = [-70, 2, 74, 146, 218].map((t) => t + random(-6, 6));
  const roses = ['#f07d69', '#e66752', '#f59280', '#e05d48', '#f18571'];
  turns.forEach((turn, i) => {
    const r = 124 + 8 * (i % 2);
    brush.fillBleed(0.3);
    brush.fillTexture(0.5, 0.5);
    brush.fill(roses[i], 190);
    pool(heart.x + r * cos(turn), heart.y + r * sin(turn), 108, 88, turn, 13);
    brush.fillBleed(0.4);
    brush.fillTexture(0.65, 0.2);
    brush.fill(roses[(i + 3) % 5], 160);
    pool(heart.x + r * cos(turn + 6), heart.y + r * sin(turn + 6), 96, 70, turn + 10, 9);
  });
  // stronger colour still spreading inside
  turns.forEach((turn, i) => {
    brush.fillBleed(0.45);
    brush.fillTexture(0.45, 0.5);
    brush.fill(i % 2 ? '#cd2e19' : '#d94225', 195);
    const lean = turn + (i % 2 ? 9 : -8);
    pool(heart.x + 92 * cos(lean), heart.y + 92 * sin(lean), 76, 40, lean, 10);
  });
  // violet where the pigment settles, on the shaded side only
  brush.fillBleed(0.5);
  brush.fillTexture(0.55, 0.4);
  brush.fill('#ac3945', 165);
  for (const i of [2, 3, 4]) {
    const turn = turns[i] + 12;
    pool(heart.x + 176 * cos(turn), heart.y + 176 * sin(turn), 22, 58, turn, 10);
  }
  // the dark eye runs outwards
  brush.fillBleed(0.35);
  brush.fillTexture(0.35, 0.5);
  brush.fill('#80180c', 215);
  turns.forEach((turn) => pool(heart.x + 36 * cos(turn), heart.y + 36 * sin(turn), 42, 13, turn, 9));

  // light lifted out of the top petals
  brush.fillTexture(0.3, 0.1);
  brush.fill('#fdf3ea', 185);
  pool(heart.x + 52, heart.y - 150, 46, 10, -64, 9);
  pool(heart.x - 150, heart.y - 24, 42, 9, 20, 9);

  // the stamen and its pollen
  brush.fillBleed(0.05);
  brush.fillTexture(0.2, 0.3);
  brush.fill('#fbdf9a', 240);
  pool(heart.x - 34, heart.y - 44, 66, 5, 53, 14);
  for (let i = 0; i < 18; i++) {
    brush.fill(i % 4 ? '#f4b41e' : '#d9861a', 240);
    const t = random(44, 108);
    pool(heart.x - t * 0.61 + random(-14, 14), heart.y - t * 0.8 + random(-11, 11), random(3.5, 6), random(3.5, 5), 0, 7);
  }
  // drops thrown by the brush
  for (const [x, y, r] of [[84, 118, 8], [66, 146, 4], [97, 92, 3], [528, 196, 7], [540, 170, 3.5], [496, 424, 5], [112, 414, 6]]) {
    brush.fill(roses[round(x) % 5], 200);
    pool(x, y, r, r, 0, 8);
  }
}
