async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const CX = 302, CY = 286;
const at = (angle, radius) => [CX + radius * cos(angle), CY + radius * sin(angle)];

function wash(points, hex, opacity, bleed) {
  brush.fill(hex, opacity);
  brush.fillBleed(bleed);
  brush.beginShape(0.5);
  for (const [x, y] of points) brush.vertex(x, y);
  brush.endShape(true);
}

// A petal whose margin waves; no two are alike.
function petal(angle, reach, half) {
  const edge = [at(angle - half * 0.35, 6), at(angle - half * 0.8, reach * 0.4), at(angle - half, reach * 0.72)];
  for (let i = 0; i <= 6; i++) {
    const side = -0.85 + (1.7 * i) / 6;
    edge.push(at(angle + side * half, reach * (1 - 0.12 * side * side + random(-0.05, 0.05))));
  }
  edge.push(at(angle + half, reach * 0.7), at(angle + half * 0.8, reach * 0.38), at(angle + half * 0.35, 6));
  return edge;
}

function leaf(angle, from, to, half) {
  const mid = (from + to) / 2;
  return [at(angle, from), at(angle - half, mid * 0.94), at(angle - half * 0.6, to * 0.9), at(angle, to), at(angle + half * 0.7, to * 0.86), at(angle + half, mid)];
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#f8f2e4');
  brush.noStroke();
  brush.fillTexture(0.4, 0.4);
  for (const [a, to, green, dark] of [[128, 272, '#86a45e', '#4b7550'], [52, 264, '#6f9656', '#3d684a'], [162, 250, '#9bb266', '#648a54']]) {
    wash(leaf(a, 120, to, 13), green, 200, 0.18);
    wash(leaf(a + 1, 150, to * 0.94, 5), dark, 170, 0.15);
  }
  const petals = [[-92, 212, 40], [-20, 218, 42], [50, 206, 41], [124, 210, 42], [196, 220, 41]];
  const coral = ['#f49a80', '#f1886e', '#f6a98c', '#f08a74', '#f39a7e'];
  petals.forEach(([a, reach, half], i) => {
    wash(petal(a, reach, half), coral[i], 195, 0.28);
    brush.fillTexture(0.6, 0.2);
    wash(petal(a + 4, reach * 0.93, half * 0.82), coral[(i + 2) % 5], 165, 0.28);
  });
  petals.forEach(([a, reach]) => {
    for (const side of [-18, 2, 20]) {
      const to = reach * random(0.6, 0.82);
      wash([at(a + side - 2, 24), at(a + side - 8, to * 0.6), at(a + side, to), at(a + side + 8, to * 0.62), at(a + side + 2, 24)], '#e2604f', 165, 0.28);
    }
  });
  brush.fillTexture(0.35, 0.35);
  petals.forEach(([a, reach], i) => {
    wash([at(a - 12, 8), at(a - 15, reach * 0.26), at(a - 2, reach * 0.42), at(a + 13, reach * 0.28), at(a + 11, 8)], i % 2 ? '#b02c42' : '#c23a46', 205, 0.26);
  });
  wash([0, 60, 120, 180, 240, 300].map((a) => at(a, 16)), '#82182f', 215, 0.15);
  const tip = at(-52, 148);
  wash([[CX - 5, CY], [CX + 40, CY - 56], [tip[0] - 3, tip[1]], [tip[0] + 4, tip[1] + 5], [CX + 50, CY - 46], [CX + 7, CY + 5]], '#f9dfae', 240, 0.05);
  brush.fillBleed(0.05);
  for (let i = 0; i < 16; i++) {
    const t = random(0.55, 1);
    brush.fill(i % 3 ? '#efb02a' : '#d78b1e', 240);
    brush.circle(lerp(CX, tip[0], t) + random(-11, 11), lerp(CY, tip[1], t) + random(-11, 11), random(3, 5), 0.2);
  }
}
