/** Lengths of time as people write them. Pure. */

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export type DurationUnit = keyof typeof UNITS_MS;

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
 * `45m`, `1.5 h`, `3 days`; null for anything else: months are no minutes.
 *
 * @param alone the unit of a number without one; without it such a number is no length
 */
export function toDurationInput(text: string, alone: DurationUnit | null = null): DurationInput | null {
  const [, amount, word = ''] = /^\s*(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (amount === undefined) return null;
  const unit = word === '' ? alone : (unitOf(word) ?? null);
  return unit === null ? null : { amount: Number(amount.replace(',', '.')), unit };
}

export function durationInputMs({ amount, unit }: DurationInput): number {
  return amount * UNITS_MS[unit];
}

function unitOf(word: string): DurationUnit | undefined {
  return (['s', 'm', 'h', 'd', 'w'] as const).find((unit) => WORDS[unit].test(word));
}
