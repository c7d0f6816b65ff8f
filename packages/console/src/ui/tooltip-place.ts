export type Side = 'top' | 'bottom' | 'left' | 'right';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const GAP_PX = 6;
const EDGE_PX = 8;
const OPPOSITE = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' } as const;

/** Where words stand beside what they are about: on the side asked for, on the other where that has no room. Pure. */
export function placeOf(
  about: Box,
  words: Pick<Box, 'width' | 'height'>,
  side: Side,
  view: Pick<Box, 'width' | 'height'>,
): { readonly left: number; readonly top: number } {
  const on = (where: Side) => ({
    left:
      where === 'left'
        ? about.left - GAP_PX - words.width
        : where === 'right'
          ? about.left + about.width + GAP_PX
          : about.left + (about.width - words.width) / 2,
    top:
      where === 'top'
        ? about.top - GAP_PX - words.height
        : where === 'bottom'
          ? about.top + about.height + GAP_PX
          : about.top + (about.height - words.height) / 2,
  });
  const within = (at: number, size: number, whole: number) =>
    Math.max(EDGE_PX, Math.min(at, whole - EDGE_PX - size));
  const fits = ({ left, top }: { readonly left: number; readonly top: number }) =>
    side === 'left' || side === 'right'
      ? left === within(left, words.width, view.width)
      : top === within(top, words.height, view.height);
  const [wished, other] = [on(side), on(OPPOSITE[side])];
  const { left, top } = fits(wished) || !fits(other) ? wished : other;
  return { left: within(left, words.width, view.width), top: within(top, words.height, view.height) };
}
