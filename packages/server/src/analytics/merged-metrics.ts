/** Metrics in the Prometheus text format, by the name of the family. */
type MetricFamilies = Map<string, MetricFamily>;

interface MetricFamily {
  /** The lines `# HELP` and `# TYPE`. */
  readonly head: string[];
  /** Whether the values of several processes are added. True for counters and histograms. */
  isSummed: boolean;
  /** Values by series, such as `floe_exchanges_total{code="200"}`. */
  readonly series: Map<string, number>;
}

/** The label that tells the gauges of several processes apart. */
const PROCESS_LABEL = 'process';

/**
 * Merges the metrics of several processes, so that one scrape returns all of them. Counters and histograms are
 * summed. Other metrics keep one series for each process, with the label `process`.
 */
export class MergedMetrics {
  readonly #families: MetricFamilies = new Map();

  /** @param text metrics in the Prometheus text format 0.0.4, without timestamps */
  add(process: string, text: string): void {
    this.#add(text, (series) => withLabel(series, PROCESS_LABEL, process));
  }

  /** Adds only counters and histograms, of a process that has ended. */
  addCounters(text: string): void {
    this.#add(text, () => null);
  }

  render(): string {
    const lines: string[] = [];
    for (const { head, series } of this.#families.values()) {
      if (series.size === 0) continue;
      lines.push(...head);
      for (const [name, value] of series) lines.push(`${name} ${formatValue(value)}`);
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }

  /** @param renameGauge returns the series of a gauge; null to leave it out */
  #add(text: string, renameGauge: (series: string) => string | null): void {
    let family: MetricFamily | undefined;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      if (line.startsWith('#')) family = this.#readHead(line) ?? family;
      else if (family !== undefined) addSample(family, line, renameGauge);
    }
  }

  /** Reads a line that starts with `#`. Returns its family; undefined for a comment. */
  #readHead(line: string): MetricFamily | undefined {
    const [, keyword, name = '', type] = line.split(' ', 4);
    if (keyword !== 'HELP' && keyword !== 'TYPE') return undefined;
    let family = this.#families.get(name);
    if (family === undefined) {
      family = { head: [], isSummed: false, series: new Map() };
      this.#families.set(name, family);
    }
    if (!family.head.some((other) => other.startsWith(`# ${keyword} `))) family.head.push(line);
    if (keyword === 'TYPE') family.isSummed = type === 'counter' || type === 'histogram';
    return family;
  }
}

function addSample(
  { isSummed, series }: MetricFamily,
  line: string,
  renameGauge: (series: string) => string | null,
): void {
  const end = line.lastIndexOf(' ');
  const name = line.slice(0, end);
  const value = Number(line.slice(end + 1).replace('Inf', 'Infinity'));
  const key = isSummed ? name : renameGauge(name);
  if (key !== null) series.set(key, isSummed ? (series.get(key) ?? 0) + value : value);
}

function withLabel(series: string, label: string, value: string): string {
  const start = series.indexOf('{');
  if (start === -1) return `${series}{${label}="${value}"}`;
  const others = series.slice(start + 1, -1);
  return `${series.slice(0, start)}{${label}="${value}"${others === '' ? '' : `,${others}`}}`;
}

function formatValue(value: number): string {
  return String(value).replace('Infinity', 'Inf');
}
