/** Lines around a change that are shown. */
const CONTEXT = 3;

/** A text before and after as a person reads a change: `-` goes, `+` comes, a few lines around them. Empty without one. */
export function textDiff(before: string, after: string): string {
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
  const gone = from.slice(start, from.length - end);
  const come = to.slice(start, to.length - end);
  if (gone.length === 0 && come.length === 0) return '';
  const lines = [
    ...from.slice(Math.max(0, start - CONTEXT), start).map((line) => `  ${line}`),
    ...gone.map((line) => `- ${line}`),
    ...come.map((line) => `+ ${line}`),
    ...from.slice(from.length - end, from.length - end + CONTEXT).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
