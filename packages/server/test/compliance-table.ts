// What each judge saw, counted by suite and upstream.

/**
 * `noted`: taken by the judge, which found fault for a reason of its own; `judge errs`: refused for such a reason.
 * Both are shown with the reason, and are no failures.
 */
export type ComplianceOutcome = 'passed' | 'failed' | 'noted' | 'judge errs' | 'skipped';

const OUTCOMES: readonly ComplianceOutcome[] = ['passed', 'failed', 'noted', 'judge errs', 'skipped'];

export interface ComplianceResult {
  readonly outcome: ComplianceOutcome;
  /** What was judged. */
  readonly subject: string;
  /** What a judge had against it; empty for nothing. */
  readonly objection: string;
}

export class ComplianceTable {
  readonly #rows = new Map<string, Map<ComplianceOutcome, number>>();

  /** Counts one result and prints its line. */
  add(suite: string, upstream: string, { outcome, subject, objection }: ComplianceResult): void {
    const name = `${suite.padEnd(24)} ${upstream.padEnd(28)}`;
    const counts = this.#rows.get(name) ?? new Map<ComplianceOutcome, number>();
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    this.#rows.set(name, counts);
    const reason = outcome === 'passed' || objection === '' ? '' : `: ${objection}`;
    process.stdout.write(`${outcome.padEnd(10)} ${suite} over ${upstream}: ${subject}${reason}\n`);
  }

  /** Prints the table. @returns how much failed or did not run. */
  print(): number {
    const title = `${'suite'.padEnd(24)} ${'upstream'.padEnd(28)}`;
    process.stdout.write(`\n${[title, ...OUTCOMES.map((one) => one.padStart(10))].join(' ')}\n`);
    let bad = 0;
    for (const [name, counts] of this.#rows) {
      const cells = OUTCOMES.map((one) => String(counts.get(one) ?? 0).padStart(10));
      process.stdout.write(`${[name, ...cells].join(' ')}\n`);
      bad += (counts.get('failed') ?? 0) + (counts.get('skipped') ?? 0);
    }
    return this.#rows.size === 0 ? 1 : bad;
  }
}
