// A thin slice held to the light: everything translucent, drops of juice around it.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function ring(x, y, outer, inner, hex, opacity) {
  brush.fill(hex, opacity);
  brush.beginShape(0.5);
  for (let a = 0; a <= 360; a += 20) brush.vertex(x + outer * cos(a), y + outer * sin(a) * 0.98);
  for (let a = 360; a >= 0; a -= 20) brush.vertex(x + inner * cos(a), y + inner * sin(a) * 0.98);
  brush.endShape(true);
}

function cell(x, y, a, from, to, spread) {
  brush.beginShape(0.6);
  brush.vertex(x + from * cos(a), y + from * sin(a));
  brush.vertex(x + to * 0.8 * cos(a - spread), y + to * 0.8 * sin(a - spread));
  brush.vertex(x + to * cos(a - spread * 0.5), y + to * sin(a - spread * 0.5));
  brush.vertex(x + to * cos(a + spread * 0.5), y + to * sin(a + spread * 0.5));
  brush.vertex(x + to * 0.8 * cos(a + spread), y + to * 0.8 * sin(a + spread));
  brush.endShape(true);
}

function slice(x, y, radius, count, start) {
  brush.fillBleed(0.22);
  brush.fill('#fbf0b4', 170);
  brush.circle(x, y, radius * 0.98, 0.25);
  brush.fillBleed(0.14);
  ring(x, y, radius, radius * 0.9, '#efc02c', 205);
  ring(x, y, radius * 0.99, radius * 0.95, '#d99e24', 165);
  const arc = 360 / count;
  for (let i = 0; i < count; i++) {
    const a = start + i * arc;
    for (let layer = 0; layer < 3; layer++) {
      brush.fillBleed(0.14 + 0.06 * layer);
      brush.fill(['#f8e470', '#f4d24a', '#eec04a'][layer], 178 - 8 * layer);
      cell(x, y, a + random(-1.5, 1.5), radius * (0.12 + 0.14 * layer), radius * (0.84 - 0.02 * layer), arc * (0.4 - 0.09 * layer));
    }
  }
  brush.fillBleed(0.1);
  brush.fill('#fefae6', 235);
  brush.circle(x, y, radius * 0.085, 0.4);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f5ea');
  brush.noStroke();
  brush.fillTexture(0.55, 0.25);
  slice(288, 296, 206, 10, 6);
  brush.fillBleed(0.3);
  for (let drop = 0; drop < 12; drop++) {
    const a = random(360), r = random(226, 268);
    brush.fill(drop % 3 ? '#f5dd62' : '#b9c07a', 165);
    brush.circle(288 + r * cos(a), 296 + r * sin(a), random(3, 11), 0.5);
  }
}
