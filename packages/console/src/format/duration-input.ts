/** Parses durations that users enter. Pure. */

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The unit of a duration that the user entered. */
export type DurationUnit = keyof typeof UNITS_MS;

/** A duration as the user entered it: a number and a unit. */
export interface DurationInput {
  readonly amount: number;
  readonly unit: DurationUnit;
}

const WORDS: Readonly<Record<DurationUnit, RegExp>> = {
  s: /^s(ecs?|econds?)?$/i,
  m: /^m(ins?|inutes?)?$/i,
  h: /^h(rs?|ours?)?$/i,
  d: /^d(ays?)?$/i,
  w: /^w(ks?|eeks?)?$/i,
};

/**
 * Parses a duration such as `45m`, `1.5 h` or `3 days`. Returns null for other text, including months.
 * @param defaultUnit The unit of a number without a unit. If null, such numbers are rejected.
 */
export function parseDurationInput(
  text: string,
  defaultUnit: DurationUnit | null = null,
): DurationInput | null {
  const [, amount, word = ''] = /^\s*(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (amount === undefined) return null;
  const unit = word === '' ? defaultUnit : (unitOf(word) ?? null);
  return unit === null ? null : { amount: Number(amount.replace(',', '.')), unit };
}

/** Converts a parsed duration to milliseconds. */
export function toDurationMs({ amount, unit }: DurationInput): number {
  return amount * UNITS_MS[unit];
}

function unitOf(word: string): DurationUnit | undefined {
  return (['s', 'm', 'h', 'd', 'w'] as const).find((unit) => WORDS[unit].test(word));
}
