// Circles again, in yellow.
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}

function ring(count, distance, radius, hex, opacity, offset) {
  for (let i = 0; i < count; i++) {
    brush.fill(hex, opacity);
    brush.circle(300 + distance * cos((i * 360) / count + offset), 290 + distance * sin((i * 360) / count + offset), radius, 0.3);
  }
}

function draw() {
  translate(-width / 2, -height / 2);
  background('#faf4e6');
  brush.noStroke();

  brush.fillBleed(0.25);
  brush.fillTexture(0.4, 0.4);
  ring(4, 226, 40, '#83a862', 190, -54);
  ring(5, 132, 84, '#f5e190', 190, -90);
  brush.fillTexture(0.5, 0.3);
  ring(5, 84, 52, '#eecc68', 185, -90);
  ring(5, 40, 26, '#c6913c', 195, -90);
  brush.fillBleed(0.1);
  brush.fill('#8e261f', 200);
  brush.circle(300, 290, 20, 0.2);
  ring(9, 30, 5, '#f2c04a', 235, 0);
}
