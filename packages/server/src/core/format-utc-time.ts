/** Formats Unix milliseconds as `2026-11-21 22:40:00 UTC`. */
export function formatUtcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
