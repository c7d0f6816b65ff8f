import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const text = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');
const STATES = [
  'healthy',
  'failing',
  'waiting',
  'paused',
  'unknown',
  'maintenance',
  'warning',
  'partial',
  'blocked',
  'cached',
];

/** Relative luminance (WCAG 2) of both values of a colour, light first. */
function luminances(name: string): readonly [number, number] {
  const [, value = ''] = new RegExp(`--color-${name}:\\s*light-dark\\((.*)\\);`).exec(text) ?? [];
  const [light, dark] = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)/g)].map(([, l, c, h]) =>
    luminance(Number(l), Number(c), Number(h)),
  );
  assert.ok(light !== undefined && dark !== undefined, `--color-${name} has a light and a dark value`);
  return [light, dark];
}

/** OKLCH to linear sRGB (Ottosson), cut to what a screen shows, weighted as WCAG 2 says. */
function luminance(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const cut = (value: number) => Math.min(1, Math.max(0, value));
  const red = cut(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = cut(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = cut(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function assertContrast(ink: string, ground: string, least: number): void {
  const [inks, grounds] = [luminances(ink), luminances(ground)];
  for (const [index, theme] of ['light', 'dark'].entries()) {
    const [a = 0, b = 0] = [inks[index], grounds[index]];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    assert.ok(ratio >= least, `${ink} on ${ground}, ${theme}: ${ratio.toFixed(2)} is below ${least}`);
  }
}

test('words can be read wherever they stand, light and dark', () => {
  for (const ink of ['ink', 'ink-2', 'ink-3', 'accent-ink'])
    for (const ground of ['page', 'surface', 'sunken', 'raised', 'hover', 'selected'])
      assertContrast(ink, ground, 4.5);
  assertContrast('on-accent', 'accent', 4.5);
  assertContrast('on-accent', 'accent-hover', 4.5);
  assertContrast('accent-ink', 'accent-tint', 4.5);
});

test('a state can be read on the page and on its own tint', () => {
  for (const state of STATES) {
    assertContrast(`${state}-ink`, 'surface', 4.5);
    assertContrast(`${state}-ink`, 'page', 4.5);
    assertContrast(`${state}-ink`, `${state}-tint`, 4.5);
    assertContrast('ink-3', `${state}-tint`, 4.5);
  }
});

test('what is filled in, ticked or focused has an edge that can be seen', () => {
  for (const ground of ['page', 'surface']) {
    assertContrast('edge', ground, 3);
    assertContrast('focus', ground, 3);
  }
  // Amber on white cannot have it: a warning is never drawn without its icon or outline.
  for (const state of STATES.filter((name) => name !== 'warning')) assertContrast(state, 'surface', 3);
});
