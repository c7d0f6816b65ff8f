/** Number of unchanged lines around a change. */
const CONTEXT_LINES = 3;

/**
 * Formats the differences between two texts line by line: removed lines start with `-`, added lines start with
 * `+`, and a few unchanged lines surround them. Returns an empty string if the texts are equal.
 */
export function formatTextDiff(before: string, after: string): string {
  const [from, to] = [before, after].map((text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')));
  if (!from || !to) return '';
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  while (
    end < from.length - start &&
    end < to.length - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  )
    end += 1;
  const removed = from.slice(start, from.length - end);
  const added = to.slice(start, to.length - end);
  if (removed.length === 0 && added.length === 0) return '';
  const lines = [
    ...from.slice(Math.max(0, start - CONTEXT_LINES), start).map((line) => `  ${line}`),
    ...removed.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
    ...from.slice(from.length - end, from.length - end + CONTEXT_LINES).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
