import { useState } from 'react';

/** What a component reported, in order, where a test reads it. */
export function useReportLog(): readonly [told: React.ReactNode, tell: (text: string) => void] {
  const [lines, setLines] = useState<readonly string[]>([]);
  return [<output key="told">{lines.join(', ')}</output>, (text) => setLines((before) => [...before, text])];
}
