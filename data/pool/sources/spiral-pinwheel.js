// Half open: five magenta petals still wound round one another, as they leave the bud.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const HEART = { x: 300, y: 262 };

// A point of a logarithmic arm: `t` in 0..1 along it, started at `start` degrees.
function arm(start, t, scale) {
  const radius = scale * 15 * exp(2.5 * t), turn = start + 112 * t;
  return { x: HEART.x + radius * cos(turn), y: HEART.y + radius * sin(turn) * 0.96 };
}

// The blade between two arms, closed by a soft lip at the outer end.
function windPetal(start, width, scale, end) {
  const outer = [], inner = [];
  for (let t = 0; t <= end + 0.001; t += end / 7) {
    outer.push(arm(start, t, scale));
    inner.unshift(arm(start + width * (0.35 + 0.65 * t), t * 0.985, scale * (1 + 0.05 * sin(t * 700))));
  }
  const a = outer[outer.length - 1], b = inner[0];
  const lip = [0.25, 0.5, 0.75].map((s) => ({
    x: lerp(a.x, b.x, s) + (lerp(a.x, b.x, s) - HEART.x) * 0.34 * sin(s * 180) * end + random(-5, 5),
    y: lerp(a.y, b.y, s) + (lerp(a.y, b.y, s) - HEART.y) * 0.34 * sin(s * 180) * end + random(-5, 5),
  }));
  trace([...outer, ...lip, ...inner], 0.5);
}

function trace(points, curvature) {
  brush.beginShape(curvature);
  for (const { x, y } of points) brush.vertex(x, y);
  brush.endShape(true);
}

function load(hex, opacity, bleed, texture, border) {
  brush.fill(hex, opacity);
  brush.fillBleed(bleed);
  brush.fillTexture(texture, border);
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf4ea');
  brush.noStroke();

  // stem and leaves follow the same turn as the petals
  load('#73965a', 200, 0.12, 0.4, 0.4);
  trace([{ x: 312, y: 430 }, { x: 326, y: 500 }, { x: 318, y: 590 }, { x: 333, y: 592 }, { x: 342, y: 500 }, { x: 328, y: 428 }]);
  for (const [x, y, turn, long, fat, hex, dark] of [[334, 520, -14, 170, 42, '#85a860', '#4d7d4a'], [322, 548, 198, 160, 40, '#5f8f64', '#2e5f55']]) {
    for (const [size, thin, colour, opacity] of [[1, 1, hex, 200], [0.84, 0.28, dark, 180]]) {
      load(colour, opacity, 0.22, 0.45, 0.35);
      const edge = [];
      for (let k = 0; k < 12; k++) {
        const u = (0.5 - 0.5 * cos(k * 30)) * long * size, bend = turn - 26 * (u / long);
        const v = sin(k * 30) * fat * thin;
        edge.push({ x: x + u * cos(bend) - v * sin(bend), y: y + u * sin(bend) + v * cos(bend) });
      }
      trace(edge, 0.5);
    }
  }

  const starts = [-150, -78, -6, 66, 138];
  const tints = ['#e66aa8', '#db5499', '#ee82b4', '#d2468e', '#e3609f'];
  starts.forEach((start, i) => {
    load(tints[i], 195, 0.24, 0.45, 0.5);
    windPetal(start, 84, 1, 1);
  });
  // the fold of each blade holds more pigment than its crest
  starts.forEach((start, i) => {
    load(tints[(i + 2) % 5], 170, 0.4, 0.6, 0.2);
    windPetal(start + 8, 66, 0.95, 0.98);
    load('#b92678', 185, 0.36, 0.5, 0.35);
    windPetal(start + 3, 30, 0.97, 0.9);
    load('#8a1a6c', 185, 0.3, 0.45, 0.35);
    windPetal(start + 1, 15, 0.98, 0.74);
  });
  // ribs run along the turn
  starts.forEach((start) => {
    for (const off of [34, 46, 58, 70]) {
      load('#96206e', 145, 0.05, 0.15, 0.1);
      const far = random(0.82, 0.95), up = [], down = [];
      for (let t = 0.42; t <= far; t += 0.09) {
        up.push(arm(start + off * (0.35 + 0.65 * t), t, 1));
        down.unshift(arm(start + off * (0.35 + 0.65 * t) + 1.1, t, 1));
      }
      trace([...up, ...down], 0.3);
    }
  });
  // the eye of the spiral, and pollen just showing
  load('#5c0e46', 215, 0.3, 0.35, 0.4);
  starts.forEach((start) => windPetal(start, 40, 0.82, 0.4));
  for (let i = 0; i < 13; i++) {
    load(i % 3 ? '#f4b52e' : '#e38d22', 240, 0.05, 0.2, 0.3);
    const spot = arm(i * 83, random(0.05, 0.42), 0.8), r = random(3, 5.2);
    trace([0, 60, 120, 180, 240, 300].map((g) => ({ x: spot.x + r * cos(g), y: spot.y + r * sin(g) })), 0.5);
  }
}
