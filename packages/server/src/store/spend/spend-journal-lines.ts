import { readFile } from 'node:fs/promises';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { BudgetCharge } from './budget-charge.ts';

/** One line of a spend journal: what an exchange reserves before it is sent, or its final cost. */
export interface SpendJournalLine {
  /** Line number of the journal, starting at 1. */
  readonly n: number;
  readonly op: 'hold' | 'done';
  /** Id of the exchange. */
  readonly id: string;
  readonly charges: readonly BudgetCharge[];
}

export function formatSpendJournalLine({ n, op, id, charges }: SpendJournalLine): string {
  const packed = charges.map((charge) => [
    charge.orgId,
    charge.bucket,
    charge.endsAt,
    charge.nanoUsd,
    charge.limitNanoUsd,
    charge.name,
    charge.period,
    charge.mode,
    charge.day,
  ]);
  return JSON.stringify([n, op, id, packed]);
}

/**
 * Returns the lines in a journal's files, in order and without duplicates. Duplicates occur because
 * a repeated write may have written a line twice.
 */
export async function readSpendJournalLines(paths: readonly string[]): Promise<SpendJournalLine[]> {
  const lines = new Map<number, SpendJournalLine>();
  for (const path of paths)
    for (const text of (await readFile(path, 'utf8')).split('\n')) {
      const line = parseJournalLine(text);
      if (line) lines.set(line.n, line);
    }
  return [...lines.values()].sort((one, other) => one.n - other.n);
}

/** Undefined for a line that is incomplete because its process was killed. */
function parseJournalLine(text: string): SpendJournalLine | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const [n, op, id, packed] = value;
  if (typeof n !== 'number' || (op !== 'hold' && op !== 'done') || typeof id !== 'string') return undefined;
  if (isJsonObject(packed) || !Array.isArray(packed)) return undefined;
  const charges = packed.map(parseCharge).filter((charge) => charge !== undefined);
  return { n, op, id, charges };
}

function parseCharge(value: Json): BudgetCharge | undefined {
  if (!Array.isArray(value)) return undefined;
  const [orgId, bucket, endsAt, nanoUsd, limitNanoUsd, name, period, mode, day] = value;
  if (typeof orgId !== 'string' || typeof bucket !== 'string') return undefined;
  if (typeof endsAt !== 'number' || typeof nanoUsd !== 'number' || typeof limitNanoUsd !== 'number')
    return undefined;
  if (typeof name !== 'string' || typeof period !== 'string') return undefined;
  if (mode !== 'hard' && mode !== 'soft') return undefined;
  // Releases before the day was recorded wrote no day.
  const dayOrEmpty = typeof day === 'string' ? day : '';
  return { orgId, bucket, endsAt, nanoUsd, limitNanoUsd, name, period, day: dayOrEmpty, mode };
}

/**
 * Returns the charges in the journal of a process that was killed: the settlements after line
 * `applied`, and reservations without a settlement in full. `open` contains these reservations, one line per exchange.
 */
export function computeUnappliedCharges(lines: readonly SpendJournalLine[], applied: number) {
  const done = new Set(lines.filter(({ op }) => op === 'done').map(({ id }) => id));
  const open = mergeLinesByExchange(lines.filter(({ op, id }) => op === 'hold' && !done.has(id)));
  const settled = lines.filter(({ op, n }) => op === 'done' && n > applied);
  return { open, charges: sumChargesByBucket([...settled, ...open].flatMap(({ charges }) => charges)) };
}

/** One line per exchange. Later lines increase its reservation. */
function mergeLinesByExchange(lines: readonly SpendJournalLine[]): SpendJournalLine[] {
  const byId = new Map<string, SpendJournalLine>();
  for (const line of lines) {
    const first = byId.get(line.id);
    byId.set(
      line.id,
      first ? { ...first, charges: sumChargesByBucket([...first.charges, ...line.charges]) } : line,
    );
  }
  return [...byId.values()];
}

/** Combines charges into one charge per budget counter and day. Counters without spending are omitted. */
export class BudgetChargeAccumulator {
  readonly #sums = new Map<string, BudgetCharge>();

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  add(charge: BudgetCharge): void {
    if (charge.nanoUsd === 0) return;
    const key = `${charge.orgId}\n${charge.day}\n${charge.bucket}`;
    const sum = this.#sums.get(key);
    this.#sums.set(key, { ...charge, nanoUsd: charge.nanoUsd + (sum?.nanoUsd ?? 0) });
  }

  list(): BudgetCharge[] {
    return [...this.#sums.values()];
  }
}

/** Returns the sums of charges per budget counter and day. */
export function sumChargesByBucket(charges: readonly BudgetCharge[]): BudgetCharge[] {
  const sums = new BudgetChargeAccumulator();
  for (const charge of charges) sums.add(charge);
  return sums.list();
}
