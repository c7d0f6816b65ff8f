// The TypeScript files of the project, as paths from the root.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SKIP = new Set(['node_modules', '.runtime', 'dist', '.git', 'recordings']);

export function listSourceFiles(dir = 'packages', endings = ['.ts', '.tsx']) {
  const found = [];
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      if (!SKIP.has(entry.name)) found.push(...listSourceFiles(path, endings));
    } else if (endings.some((ending) => entry.name.endsWith(ending))) found.push(path);
  }
  return found;
}
