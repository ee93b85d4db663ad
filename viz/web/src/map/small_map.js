// For each of `pixels` steps along an axis of `count` tokens: first token, and the one after the last.
function steps(count, pixels) {
  return Array.from({ length: pixels }, (_, i) => {
    const from = Math.floor((i * count) / pixels);
    return [from, Math.max(from + 1, Math.ceil(((i + 1) * count) / pixels))];
  });
}

// Fills an image with one map [high, wide] of bytes after another, in the colours that the bytes have in `shades`.
// Where several tokens share a pixel, the strongest weight is drawn; the byte `zero` stands for none.
export function smallPainter({ data: pixels, width, height }, [high, wide], zero) {
  const [down, across] = [steps(high, height), steps(wide, width)];
  return (map, shades) => {
    let at = 0;
    for (const [firstRow, rowEnd] of down) {
      for (const [firstColumn, columnEnd] of across) {
        let most = zero;
        for (let row = firstRow; row < rowEnd; row++) {
          for (let i = row * wide + firstColumn; i < row * wide + columnEnd; i++) {
            if (Math.abs(map[i] - zero) > Math.abs(most - zero)) most = map[i];
          }
        }
        const shade = shades[most];
        pixels[at++] = shade[0];
        pixels[at++] = shade[1];
        pixels[at++] = shade[2];
        pixels[at++] = 255;
      }
    }
  };
}
