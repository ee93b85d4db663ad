// The axes of a plain picture.
const SIZE = 14;
const GAP = 8; // pixels between a picture and what is written at it
const UPRIGHT = -90;

export function drawAxes(paper, { x, y }) {
  paper.font(SIZE);
  if (!y.named) drawLines(paper, y, x);
  drawDown(paper, y);
  drawAcross(paper, x);
}

// Lines at the numbers of both axes; that at 0 is darker.
function drawLines({ context, place, look }, y, x) {
  const { left, top, wide, high, xOf, yOf } = place;
  const line = (x0, y0, x1, y1, strong) => {
    context.strokeStyle = strong ? look.muted : look.grid;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  };
  context.lineWidth = 1;
  if (!x.named) for (const [at] of x.ticks) line(xOf(at), top, xOf(at), top + high, false);
  for (const [at] of y.ticks) line(left, Math.round(yOf(at)) + 0.5, left + wide, Math.round(yOf(at)) + 0.5, at === 0);
}

function drawDown({ context, place, look }, { ticks, title, named }) {
  context.fillStyle = named ? look.text : look.muted;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const [at, name] of ticks) context.fillText(name, place.left - GAP, place.yOf(at));
  if (!title) return;
  context.save();
  context.fillStyle = look.muted;
  context.translate(SIZE * 0.75, place.top + place.high / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(title, 0, 0);
  context.restore();
}

function drawAcross({ context, place, look }, { ticks, title, named, angle, above }) {
  const edge = above ? place.top - GAP : place.top + place.high + GAP;
  context.fillStyle = named ? look.text : look.muted;
  for (const [at, name] of ticks) {
    context.save();
    context.translate(place.xOf(at), edge);
    context.rotate((angle * Math.PI) / 180);
    context.textAlign = angle ? (above ? "left" : "right") : "center";
    context.textBaseline = angle === UPRIGHT ? "middle" : above ? "bottom" : angle ? "middle" : "top";
    context.fillText(name, 0, 0);
    context.restore();
  }
  if (!title) return;
  context.fillStyle = look.muted;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText(title, place.left + place.wide / 2, edge + SIZE + 4);
}
