// The three lemons in morning light.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

const FRUIT = [
  { at: [196, 244], size: 104, lean: -34, warm: '#f6e38a' },
  { at: [402, 248], size: 108, lean: 24, warm: '#f3d96a' },
  { at: [296, 352], size: 132, lean: -4, warm: '#f7e27c' },
];

const spin = ([x, y], [u, v], lean) => [x + u * cos(lean) - v * sin(lean), y + u * sin(lean) + v * cos(lean)];

function shape(points, hex, opacity) {
  brush.fill(hex, opacity);
  brush.beginShape(0.5);
  points.forEach(([x, y]) => brush.vertex(x, y));
  brush.endShape(true);
}

const skin = (fruit, k, shift) => Array.from({ length: 22 }, (_, i) => {
  const a = (i * 360) / 22;
  const tip = pow(abs(cos(a)), 9) * 0.24;
  return spin([fruit.at[0] + shift, fruit.at[1] + shift * 0.8], [fruit.size * k * (1.06 + tip) * cos(a), fruit.size * k * 0.74 * sin(a) + random(-3, 3)], fruit.lean);
});

const belly = (fruit, from, to, inner) => {
  const arc = (a, k) => spin(fruit.at, [fruit.size * 1.08 * k * cos(a), fruit.size * 0.76 * k * sin(a)], fruit.lean);
  const outer = [], back = [];
  for (let a = from; a <= to; a += 15) {
    outer.push(arc(a, 1));
    back.unshift(arc(a, inner + 0.16 * abs((a - (from + to) / 2) / (to - from))));
  }
  return outer.concat(back);
};

function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f2e6');
  brush.noStroke();
  brush.fillTexture(0.4, 0.35);
  brush.fillBleed(0.28);
  shape([[60, 420], [180, 388], [330, 404], [460, 380], [548, 410], [520, 500], [360, 540], [180, 524], [84, 480]], '#dcdbe6', 160);
  shape([[150, 448], [300, 476], [450, 440], [480, 462], [330, 506], [190, 490]], '#b4b3ca', 155);
  for (const fruit of FRUIT) {
    brush.fillBleed(0.15);
    shape(skin(fruit, 1, 0), '#f8e68a', 215);
    brush.fillBleed(0.25);
    shape(skin(fruit, 0.84, 9), fruit.warm, 180);
    shape(skin(fruit, 0.52, 20), '#efcf5c', 160);
    shape(belly(fruit, 18, 150, 0.7), '#c6b24a', 165);
    brush.fillBleed(0.2);
    shape(belly(fruit, 42, 126, 0.86), '#98985a', 150);
  }
  brush.fillBleed(0.2);
  shape([[410, 160], [450, 108], [510, 96], [536, 112], [500, 158], [446, 178]], '#86a864', 195);
  shape([[424, 158], [462, 124], [520, 108], [486, 142]], '#4f7a54', 165);
  shape([[180, 158], [138, 112], [88, 104], [72, 122], [104, 160], [150, 172]], '#93b06a', 190);
  shape([[166, 154], [128, 126], [84, 118], [116, 146]], '#5d8656', 160);
}
