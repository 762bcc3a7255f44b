// Dusk with an ember in it: the same flower in coral reds.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const centre = { x: 296, y: 276 };

function form(points, curve = 0.5) {
  brush.beginShape(curve);
  points.forEach(({ x, y }) => brush.vertex(x, y));
  brush.endShape(true);
}

// A fan between two directions; `edge` gives the rim's radius as a function of 0..1 along the fan.
function fan(from, to, inner, edge) {
  const points = [];
  for (let s = 0; s <= 1.001; s += 0.125) {
    const a = lerp(from, to, s), r = edge(s);
    points.push({ x: centre.x + r * cos(a), y: centre.y + r * sin(a) * 0.94 });
  }
  points.push({ x: centre.x + inner * cos(to), y: centre.y + inner * sin(to) });
  points.push({ x: centre.x + inner * cos(from), y: centre.y + inner * sin(from) });
  return points;
}

function pigment(hex, opacity, bleed, texture, border) {
  brush.fill(hex, opacity);
  brush.fillBleed(bleed);
  brush.fillTexture(texture, border);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f3ecdf');
  brush.noStroke();

  // a breath of violet air behind the flower
  pigment('#cfb4c4', 150, 0.5, 0.7, 0.05);
  form(fan(150, 330, 60, (s) => 236 + 18 * sin(s * 500)), 0.6);
  pigment('#cbb9bc', 150, 0.5, 0.7, 0.05);
  form(fan(-20, 130, 60, (s) => 226 + 22 * sin(s * 420)), 0.6);

  // leaves: almost black where they go under
  for (const [a, len, hex, dark] of [[118, 262, '#3f6f68', '#1f3f52'], [62, 258, '#58806a', '#274c58'], [152, 264, '#6d8f72', '#2c5460'], [20, 268, '#4b7870', '#23465a']]) {
    pigment(hex, 205, 0.24, 0.45, 0.4);
    form(fan(a - 13, a + 13, 150, (s) => 176 + (len - 176) * sin(s * 180)), 0.6);
    pigment(dark, 185, 0.3, 0.4, 0.2);
    form(fan(a - 4, a + 6, 150, (s) => 160 + (len - 190) * sin(s * 180)), 0.6);
  }

  const spans = [[-104, -32], [-34, 40], [36, 112], [106, 180], [176, 254]];
  const lit = ['#e36563', '#d85252', '#c03c45', '#b03645', '#ca4d4f'];
  const shade = ['#c03235', '#ab2c36', '#862d46', '#882d50', '#942c3e'];
  spans.forEach(([from, to], i) => {
    const wave = random(360), reach = i < 2 ? 214 : 204;
    const rim = (size) => (s) => size * reach * (0.8 + 0.2 * pow(sin(s * 180), 0.6)) + 6 * sin(s * 900 + wave);
    pigment(lit[i], 195, 0.28, 0.45, 0.45);
    form(fan(from - 3, to + 3, 10, rim(1)));
    pigment(lit[(i + 1) % 5], 165, 0.4, 0.65, 0.2);
    form(fan(from + 6, to - 2, 14, rim(0.94)));
    // shade gathers along one fold
    pigment(shade[i], 185, 0.36, 0.5, 0.3);
    form(fan(from + 4, from + 30, 18, rim(0.86)));
    pigment(shade[(i + 2) % 5], 165, 0.4, 0.5, 0.3);
    form(fan(to - 22, to - 4, 18, rim(0.6)));
  });
  // cold veins
  pigment('#6e1c38', 140, 0.05, 0.15, 0.1);
  for (const [from, to] of spans) {
    for (const t of [0.2, 0.36, 0.52, 0.68, 0.84]) {
      const a = lerp(from, to, t), r = random(128, 178);
      form(fan(a - 0.5, a + 0.9, 46, (s) => r - 90 * abs(s - 0.4)), 0.3);
    }
  }
  // the well of the flower
  spans.forEach(([from, to]) => {
    pigment('#551122', 210, 0.34, 0.35, 0.4);
    form(fan(from + 20, to - 20, 6, (s) => 62 + 26 * sin(s * 180)));
  });
  pigment('#400e22', 215, 0.25, 0.3, 0.4);
  form(fan(0, 360, 0, () => 22), 0.6);

  // last light on two rims and on the stamen
  pigment('#fbdfe2', 190, 0.3, 0.3, 0.1);
  form(fan(-112, -84, 176, (s) => 190 + 10 * sin(s * 180)));
  form(fan(-40, -14, 178, (s) => 192 + 8 * sin(s * 180)));
  pigment('#f7d8a0', 240, 0.05, 0.2, 0.3);
  form([{ x: 306, y: 268 }, { x: 262, y: 210 }, { x: 232, y: 158 }, { x: 238, y: 154 }, { x: 270, y: 204 }, { x: 316, y: 262 }], 0.4);
  for (let i = 0; i < 20; i++) {
    const t = random(0.45, 1.05), x = lerp(312, 234, t) + random(-14, 14), y = lerp(266, 156, t) + random(-8, 8), r = random(2.8, 5);
    pigment(i % 4 ? '#f2b53a' : '#e99937', 240, 0.05, 0.2, 0.3);
    form([0, 60, 120, 180, 240, 300].map((a) => ({ x: x + r * cos(a), y: y + r * sin(a) })));
  }
}
